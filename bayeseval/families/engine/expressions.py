"""Operations of a formula's graph as expressions in Python."""

from collections.abc import Sequence
from dataclasses import dataclass

from bayeseval.families._pytensor import Apply
from bayeseval.families.engine.simplifying import kind_of
from bayeseval.families.engine.special import Special

ATOM, _PRODUCT, SUM, _COMPARISON = 3, 2, 1, 0
"""How tightly an expression holds together."""

_CALLS = {
    "Exp": "exp",
    "Log": "log",
    "Log1p": "log1p",
    "Sign": "sign",
    "IsInf": "math.isinf",
    "Sqrt": "math.sqrt",
    "Abs": "abs",
    "Maximum": "max",
    "Minimum": "min",
    "Expm1": "math.expm1",
    "Log1mexp": "log1mexp",
}
_COMPARISONS = {"EQ": "==", "NEQ": "!=", "LT": "<", "LE": "<=", "GT": ">", "GE": ">="}
# Functions of the library: exact, and no loop with them is vectorised, so they are for what rows
# share alone.
_FOR_ALL_ROWS = ("log1mexp", "math.expm1", "math.isinf")
_ONCE = {"exp": "math.exp", "log": "math.log", "log1p": "math.log1p"}


@dataclass(frozen=True)
class Text:
    """An expression, and how tightly it holds together."""

    text: str
    tightness: int = ATOM
    is_number: bool = False

    def within(self, tightness: int) -> str:
        """Return the text, in brackets where what surrounds it holds together more tightly."""
        return self.text if self.tightness >= tightness else f"({self.text})"


def name_of(node: Apply) -> str:
    """Return what a node does: the name of its operation, or of a function that is put in place."""
    return node.op.inline if isinstance(node.op, Special) else kind_of(node)


def _product_text(arguments: Sequence[Text]) -> Text:
    """Return a product, numbers first."""
    factors = sorted(arguments, key=lambda a: not a.is_number)
    sign = ""
    if factors[0].text == "-1.0":
        sign, factors = "-", factors[1:]
    elif factors[0].is_number and factors[0].text.startswith("-"):
        sign, factors = "-", [Text(factors[0].text[1:]), *factors[1:]]
    text = sign + " * ".join(a.within(_PRODUCT) for a in factors)
    return Text(text, SUM if sign else _PRODUCT)


def printed(kind: str, arguments: Sequence[Text], *, once: bool) -> Text:
    """Return one operation on expressions."""
    match kind:
        case "Add":
            # What is taken away comes last, so that no sum begins with a sign.
            terms = sorted(arguments, key=lambda a: a.text.startswith("-"))
            text = " + ".join(a.within(SUM) for a in terms)
            return Text(text.replace("+ -", "- "), SUM)
        case "Sub":
            return Text(f"{arguments[0].within(SUM)} - {arguments[1].within(_PRODUCT)}", SUM)
        case "Mul":
            return _product_text(arguments)
        case "TrueDiv":
            return Text(f"{arguments[0].within(_PRODUCT)} / {arguments[1].within(ATOM)}", _PRODUCT)
        case "Reciprocal":
            return Text(f"1.0 / {arguments[0].within(ATOM)}", _PRODUCT)
        case "Neg":
            return Text(f"-{arguments[0].within(ATOM)}", SUM)
        case "Sqr":
            return Text(f"{arguments[0].within(ATOM)} * {arguments[0].within(ATOM)}", _PRODUCT)
        case "Switch":
            condition, yes, no = (a.within(_COMPARISON) for a in arguments)
            return Text(f"{yes} if {condition} else {no}", _COMPARISON - 1)
        case "OR" | "AND":
            sign = "|" if kind == "OR" else "&"
            return Text(f" {sign} ".join(a.within(ATOM) for a in arguments), _COMPARISON)
        case _ if kind in _COMPARISONS:
            left, right = (a.within(SUM) for a in arguments)
            return Text(f"{left} {_COMPARISONS[kind]} {right}", _COMPARISON)
        case _:
            name = _CALLS.get(kind, kind)
            if not once and name in _FOR_ALL_ROWS:
                raise NotImplementedError(
                    f"{kind} of a row would not be vectorised; write the formula without it"
                )
            name = _ONCE.get(name, name) if once else name
            return Text(f"{name}({', '.join(a.text for a in arguments)})")
