"""What tests of bad arguments share: values that fit nothing, and how a call may end."""

from typing import Any

from bayeseval.errors import BayesEvalError

BAD = (None, float("nan"), -1, 0, "", [], "nonsense", (1,), {"a": 1}, object(), True)


def ends_in_words(function: Any, *args: Any, **kwargs: Any) -> str:
    """Call; return what ended the call if neither a result nor an error of the package did."""
    try:
        function(*args, **kwargs)
    except BayesEvalError:
        return ""
    except Exception as error:  # noqa: BLE001  # any other end is the fault
        return f"{args[1:]} {kwargs}: {type(error).__name__}: {error}"
    return ""


def bad_options(function: Any, *args: Any, options: Any, **good: Any) -> list[str]:
    """Call with each bad value of each option; return what did not end as it should.

    A call gives a result, or an error of the package that names the option. Moderators and
    attributes are named one by one where one of them is wrong.
    """
    wrong = []
    for option in options:
        for bad in BAD:
            try:
                function(*args, **{**good, option: bad})
            except BayesEvalError as error:
                if option.removesuffix("s") not in str(error):
                    wrong.append(f"{option}={bad!r} is not named: {error}")
            except Exception as error:  # noqa: BLE001  # any other end is the fault
                wrong.append(f"{option}={bad!r}: {type(error).__name__}: {error}")
    return wrong
