"""Numba's files of compiled code, where they are damaged: an error that says what to delete."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from numba.core import caching

from bayeseval.errors import BayesEvalError, ModelError


@contextmanager
def naming_the_cache() -> Iterator[None]:
    """Turn whatever Numba raises while it reads its cache into an error that names the folder.

    Pickled code that is damaged can raise anything, so that the place tells, not the kind. What
    Numba itself takes for a broken cache (files of another version, a folder without rights) it
    compiles anew.
    """
    try:
        yield
    except BayesEvalError:
        raise
    except Exception as error:
        folder = _read_from(error)
        if folder is None:
            raise
        if isinstance(error, OSError):
            # Such as a full disk, where Numba writes what it has compiled.
            raise ModelError(
                f"Numba cannot use the folder {folder} for compiled code: "
                f"{error.strerror or error}. Make room there, or set the environment variable "
                "NUMBA_CACHE_DIR to another folder"
            ) from error
        raise ModelError(
            f"Numba's cache of compiled code is damaged ({type(error).__name__}: {error}). Delete "
            f"the folder {folder}: it is filled anew by the next fit"
        ) from error


def _read_from(error: BaseException | None) -> Path | None:
    """Return the folder of the cache from which the error came, None where from none."""
    while error is not None:
        trace = error.__traceback__
        while trace is not None:
            frame = trace.tb_frame
            if frame.f_code.co_filename == caching.__file__:
                place = getattr(frame.f_locals.get("self"), "_cache_path", None)
                if place is not None:
                    return Path(place)
            trace = trace.tb_next
        # Numba's compiler wraps what went wrong while it looked up a called function.
        error = error.__cause__ or error.__context__
    return None
