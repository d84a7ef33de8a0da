"""From a formula to the source of its kernel.

Every case of a formula is differentiated and simplified by PyTensor. What depends on no row is
computed once for all rows of a criterion. The rest is a loop over blocks of rows: straight lines,
cut at special functions that work on a whole block, with what is needed later kept in arrays.
"""

# PyTensor describes its variables only in part.
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false
# pyright: reportOptionalIterable=false, reportGeneralTypeIssues=false

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np
import pytensor.tensor as pt

from bayeseval.families._pytensor import Apply, Constant, FunctionGraph, Variable, grad
from bayeseval.families.engine.expressions import ATOM, SUM, Text, name_of, printed
from bayeseval.families.engine.formula import Case, Formula
from bayeseval.families.engine.simplifying import kind_of, simplified
from bayeseval.families.engine.special import Special, kernel_nodes
from bayeseval.families.engine.template import MODULE

_INDENT = "    "
_LONGEST = 70


@dataclass
class _Loop:
    """One loop over a block, and the special functions called after it.

    Parameters
    ----------
    wanted
        What the loop stores: the name of the array, or of the sum, and the value.
    nodes
        What it computes, in order, with how often.
    lines, calls
        Its source, and that of the calls after it.
    """

    wanted: list[tuple[str, Variable]] = field(default_factory=list)
    uses: Counter[Variable] = field(default_factory=Counter)
    nodes: list[Apply] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)


# Cheaper to compute again than to keep from one loop to the next.
_CHEAP = {"Add", "Sub", "Mul", "Neg", "Sqr", "Abs", "Maximum", "Minimum", "Sign", "Switch"}


class _CasePrinter:
    """The function that evaluates one case for its rows."""

    def __init__(self, formula: Formula, case: Case, name: str, *, of_all_rows: bool) -> None:
        self.formula, self.name, self.of_all_rows = formula, name, of_all_rows
        self.imports: set[tuple[str, str]] = set()
        self.once: list[str] = []
        self.rooms: dict[Variable, str] = {}
        self.text: dict[Variable, Text] = {}
        self.used: set[str] = set()
        self.sums: list[str] = []
        self.work = 0
        self.tables: dict[str, Variable] = {}
        self.kept_before: set[Variable] = set()
        self._trace(case)
        self._place()
        self._print()

    def _trace(self, case: Case) -> None:
        """Differentiate and simplify; keep the graph's nodes in order."""
        formula = self.formula
        rows = {n: pt.dscalar(n) for n in (*formula.predictors, *formula.answer, "count")}
        shared = {n: pt.dscalar(n) for n in (*formula.scalars, *formula.constants)}
        with kernel_nodes():
            log_p = case(SimpleNamespace(**rows, **shared))
            by = [{**rows, **shared}[name] for name in (*formula.predictors, *formula.scalars)]
            slopes = grad(
                None,
                by,
                known_grads={log_p: rows["count"]},
                disconnected_inputs="ignore",
                return_disconnected="zero",
            )
        inputs = [*rows.values(), *shared.values()]
        graph = simplified(FunctionGraph(inputs, [log_p, *slopes], clone=True), set(shared))
        self.graph = graph
        self.rows = {v: v.name for v in graph.inputs[: len(rows)]}
        self.shared = {v: v.name for v in graph.inputs[len(rows) :]}

    def _place(self) -> None:
        """Say what is computed in which loop: -1 before all, and as often as it is cheap."""
        self.stage: dict[Variable, int] = dict.fromkeys(self.rows, 0)
        self.stage |= dict.fromkeys(self.shared, -1)
        specials: dict[int, list[Apply]] = {}
        self.once_nodes: list[Apply] = []
        for node in self.graph.toposort():
            own = max((self.stage.get(v, -1) for v in node.inputs), default=-1)
            if own < 0:
                self.once_nodes.append(node)
            elif isinstance(node.op, Special) and not node.op.inline:
                specials.setdefault(own, []).append(node)
                self.stage.update(dict.fromkeys(node.outputs, own + 1))
                continue
            self.stage.update(dict.fromkeys(node.outputs, own))
        outputs = self._named_outputs()
        last = max(0, *(self.stage.get(v, 0) for _, v in outputs))
        self.loops = [_Loop() for _ in range(last + 1)]
        for name, v in outputs:
            self.loops[max(0, self.stage.get(v, 0))].wanted.append((name, v))
        computed: set[Variable] = set()
        before: list[set[Variable]] = []
        for position, loop in enumerate(self.loops):
            before.append(set(computed))
            for node in specials.get(position, ()):
                for v in self._block_arguments(node):
                    if v not in self.rows and v not in self.rooms:
                        loop.wanted.insert(0, (f"{self._room(v)}[j]", v))
            for _, v in loop.wanted:
                self._demand(loop, v, computed)
            computed.update(v for node in loop.nodes for v in node.outputs)
            for node in specials.get(position, ()):
                self._call(loop, node)
        parts = [self._split(*given) for given in zip(self.loops, before, strict=True)]
        self.loops = [part for found in parts for part in found]

    def _split(self, loop: _Loop, computed: set[Variable]) -> list[_Loop]:
        """Return loops that store one array each, where nothing that is dear is computed twice.

        Of many arrays in a loop the compiler does not find out whether they overlap, and vectorises
        nothing.
        """
        dear = [v for node in loop.nodes if kind_of(node) not in _CHEAP for v in node.outputs]
        if not loop.wanted or any(v not in self.rooms for v in dear):
            return [loop]
        kept = [(f"{self.rooms[v]}[j]", v) for v in dear]
        parts = []
        for name, v in [*kept, *(wanted for wanted in loop.wanted if wanted not in kept)]:
            parts.append(_Loop(wanted=[(name, v)]))
            self._demand(parts[-1], v, computed)
            computed.update(
                v for node in parts[-1].nodes if node.outputs[0] in dear for v in node.outputs
            )
        parts[-1].calls = loop.calls
        return parts

    def _named_outputs(self) -> list[tuple[str, Variable]]:
        formula = self.formula
        log_p, *slopes = self.graph.outputs
        found = [("log_p[j]", log_p)]
        for name, v in zip(formula.predictors, slopes, strict=False):
            found.append((f"by_{name}[j]", v))
        for name, v in zip(formula.scalars, slopes[len(formula.predictors) :], strict=True):
            if not (isinstance(v, Constant) and float(np.asarray(v.data)) == 0.0):
                found.append((f"by_{name}", v))
                self.sums.append(name)
        return found

    def _room(self, v: Variable) -> str:
        # A special function's own values may be the result as they stand.
        is_result = v is self.graph.outputs[0] and isinstance(v.owner.op, Special)
        return self.rooms.setdefault(v, "log_p" if is_result else f"kept_{len(self.rooms)}")

    def _block_arguments(self, node: Apply) -> list[Variable]:
        return node.inputs[:-1] if node.op.table else node.inputs

    def _demand(self, loop: _Loop, v: Variable, computed: set[Variable]) -> None:
        """Let a loop compute a value, or find it in an array."""
        loop.uses[v] += 1
        node = v.owner
        if loop.uses[v] > 1 or node is None or self.stage[v] < 0:
            return
        if isinstance(node.op, Special) and not node.op.inline:
            return
        if v in computed and kind_of(node) not in _CHEAP:
            self._room(v)
            return
        for own in node.inputs:
            self._demand(loop, own, computed)
        loop.nodes.append(node)

    def _call(self, loop: _Loop, node: Apply) -> None:
        """Call a special function after a loop."""
        op = node.op
        passed = [self.rows.get(v) or self.rooms[v] for v in self._block_arguments(node)]
        self.used.update(self.rows[v] for v in self._block_arguments(node) if v in self.rows)
        self.imports.add((op.module, op.block))
        if op.table:
            self.imports.add((op.module, op.table))
            passed.append(f"table_{op.table}")
            self.tables[op.table] = node.inputs[-1]
        passed += [self._room(v) for v in node.outputs]
        self.work = max(self.work, op.work)
        loop.calls.append(f"{op.block}({', '.join(passed)}, work, size)")

    def _shown(self, v: Variable) -> Text:
        if isinstance(v, Constant):
            number = float(np.asarray(v.data))
            shown = repr(number).replace("inf", "math.inf")
            return Text(shown, ATOM if number >= 0 else SUM, is_number=True)
        if v in self.text:
            return self.text[v]
        if v in self.rows or v in self.shared:
            name = self.rows.get(v) or self.shared[v]
            self.used.add(name)
            name = "counts" if name == "count" else name
            return Text(f"{name}[j]" if v in self.rows else name)
        return Text(f"{self.rooms[v]}[j]")

    def _print(self) -> None:
        uses = Counter(v for node in self.graph.toposort() for v in node.inputs)
        uses.update(self.graph.outputs)
        in_rows = {v for loop in self.loops for v in loop.uses}
        for node in self.once_nodes:
            self._print_once(node, uses, in_rows)
        for name, df in self.tables.items():
            self.once.append(f"table_{name} = {name}({self._shown(df).text})")
        before = dict(self.text)
        for loop in self.loops:
            self.text = dict(before)
            for node in loop.nodes:
                self._print_in_loop(loop, node)
            for name, v in loop.wanted:
                value = self._shown(v).text
                if not name.endswith("[j]"):
                    value = f"add({name}, {value})"
                if name != value:
                    loop.lines.append(f"{name} = {value}")
            # What a later loop needs and this one has computed.
            stored = {v for _, v in loop.wanted if v in self.rooms}
            for node in loop.nodes:
                (v,) = node.outputs
                if v in self.rooms and v not in stored and v not in self.kept_before:
                    loop.lines.append(f"{self.rooms[v]}[j] = {self._shown(v).text}")
            self.kept_before |= {v for node in loop.nodes for v in node.outputs}

    def _print_once(self, node: Apply, uses: Counter[Variable], in_rows: set[Variable]) -> None:
        name = f"s{len(self.once)}"
        names = [name] if len(node.outputs) == 1 else [f"{name}_{k}" for k in range(2)]
        arguments = [self._shown(v) for v in node.inputs]
        if isinstance(node.op, Special) and not node.op.inline:
            self.imports.add((node.op.module, node.op.single or ""))
            targets = [n if uses[v] else "_" for v, n in zip(node.outputs, names, strict=True)]
            values = ", ".join(a.text for a in arguments)
            self.once.append(f"{', '.join(targets)} = {node.op.single}({values})")
        else:
            shown = printed(name_of(node), arguments, once=True)
            out = node.outputs[0]
            if (
                uses[out] == 1
                and out not in in_rows
                and len(shown.text) <= _LONGEST
                and shown.tightness >= 0
            ):
                self.text[node.outputs[0]] = shown
                return
            self.once.append(f"{names[0]} = {shown.text}")
        self.text.update((v, Text(n)) for v, n in zip(node.outputs, names, strict=True))

    def _print_in_loop(self, loop: _Loop, node: Apply) -> None:
        (v,) = node.outputs
        shown = printed(name_of(node), [self._shown(a) for a in node.inputs], once=False)
        is_kept = v in self.rooms
        choice = kind_of(node) == "Switch"
        if loop.uses[v] == 1 and len(shown.text) <= _LONGEST and not choice and not is_kept:
            self.text[v] = shown
            return
        name = f"t{len(loop.lines)}"
        loop.lines.append(f"{name} = {shown.text}")
        self.text[v] = Text(name)

    def lines(self) -> Iterator[str]:
        """Yield the lines of the function."""
        formula = self.formula
        at = {name: k for k, name in enumerate((*formula.scalars, *formula.constants))}
        yield f"@numba.njit(nogil=True, error_model='numpy', fastmath={_FREE})"
        yield f"def {self.name}({'start, stop' if self.of_all_rows else 'rows'}, {_PASSED}):"
        for name in formula.scalars:
            if name in self.used:
                value = f"scalars[int(options[{at[name]}])]"
                is_there = f" if options[{at[name]}] >= 0.0 else 0.0"
                yield f"    {name} = {value}{is_there if name in formula.optional else ''}"
        for name in formula.constants:
            if name in self.used:
                yield f"    {name} = options[{at[name]}]"
        yield from (_INDENT + line for line in self.once)
        sources = {n: f"predictors[{k}]" for k, n in enumerate(formula.predictors)}
        sources |= {n: f"answer[{k}]" for k, n in enumerate(formula.answer)}
        sources = {n: source for n, source in sources.items() if n in self.used}
        if "count" in self.used:
            sources["counts"] = "count"
        results = {"log_p": "log_ps"}
        results |= {f"by_{n}": f"predictors_bar[{k}]" for k, n in enumerate(formula.predictors)}
        kept = [name for name in self.rooms.values() if name != "log_p"]
        # Rows of other kinds stand between those of this one, which are copied together.
        n_rooms = len(kept) + (0 if self.of_all_rows else len(sources) + len(results))
        yield f"    room = np.empty(({n_rooms + self.work}, BLOCK))"
        # Rows by their positions: those of an unpacked table count as strided.
        for k, name in enumerate(kept):
            yield f"    {name} = room[{k}]"
        if self.work:
            yield f"    work = room[{n_rooms}:]"
        for name in self.sums:
            yield f"    by_{name} = 0.0"
        if self.of_all_rows:
            yield "    for begin in range(start, stop, BLOCK):"
            yield "        size = min(BLOCK, stop - begin)"
            for name, array in {**sources, **results}.items():
                yield f"        {name} = {array}[begin : begin + size]"
        else:
            yield "    for begin in range(0, rows.size, BLOCK):"
            yield "        own = rows[begin : begin + BLOCK]"
            yield "        size = own.size"
            for k, (name, source) in enumerate(sources.items(), start=len(kept)):
                yield f"        {name} = taken({source}, own, room[{k}])"
            for k, (name, target) in enumerate(results.items(), start=n_rooms - len(results)):
                yield f"        {name} = room_for({target}, own, room[{k}])"
        for loop in self.loops:
            if loop.lines:
                yield "        for j in range(size):"
                yield from (3 * _INDENT + line for line in loop.lines)
            yield from (2 * _INDENT + call for call in loop.calls)
        for name, target in {} if self.of_all_rows else results.items():
            yield f"        put({target}, own, {name})"
        for name in self.sums:
            indent = _INDENT
            if name in formula.optional:
                yield f"    if options[{at[name]}] >= 0.0:"
                indent = 2 * _INDENT
            yield f"{indent}scalars_bar[int(options[{at[name]}])] += by_{name}"


def kernel_source(formula: Formula, made_from: str) -> str:
    """Return the source of the module of a formula's kernel.

    Parameters
    ----------
    formula
        The formula.
    made_from
        The file that has it, for the reader.
    """
    functions, calls, n_read = [], [], 0
    imports: dict[str, set[str]] = {}
    is_one = list(formula.cases) == [()]
    for k, (kinds, case) in enumerate(formula.cases.items()):
        printer = _CasePrinter(formula, case, f"case_{k}", of_all_rows=is_one)
        functions += [*printer.lines(), "", ""]
        read = [k for k, column in enumerate(formula.answer, start=1) if column in printer.used]
        n_read = max(n_read, *read, 1 if kinds else 0)
        if is_one:
            calls.append(f"        case_{k}(start, stop, {_GIVEN})")
        else:
            own = "rows_between(start, stop, room)"
            if kinds:
                own = f"rows_of_kind(answer[0], start, stop, {kinds[0]}, {kinds[-1]}, room)"
            calls += [
                f"        rows = {own}",
                "        if rows.size:",
                f"            case_{k}(rows, {_GIVEN})",
            ]
        for module, name in printer.imports:
            imports.setdefault(module, set()).add(name)
    found = [
        f"from bayeseval.families.{module} import {', '.join(sorted(names))}"
        for module, names in sorted(imports.items())
    ]
    return MODULE.format(
        about=formula.about,
        made_from=made_from,
        frame=formula.frame,
        imports="\n".join(found),
        scalars=formula.scalars,
        constants=formula.constants,
        n_read=n_read,
        functions="\n".join(functions),
        calls="\n".join(calls),
        room="" if is_one else "    room = np.empty(count.size, dtype=np.int32)\n",
    )


_PASSED = "predictors, answer, scalars, options, count, log_ps, predictors_bar, scalars_bar"
_GIVEN = "predictors, answer, scalars[q], options, count, log_p, predictors_bar, scalars_bar[q]"
# Sums in any order and shared reciprocals; infinities and what is no number keep their meaning.
_FREE = "{'contract', 'arcp', 'nsz', 'reassoc'}"
