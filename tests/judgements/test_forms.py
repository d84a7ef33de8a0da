"""What a protocol's form declares is what its class takes, and what the command line offers."""

from inspect import Parameter, signature
from typing import Any

import pytest

import bayeseval as be
from bayeseval._forms import FORMS, Form
from bayeseval.cli._options import OWN, Table
from bayeseval.judgements._protocols import PROTOCOLS
from bayeseval.judgements.readers import FORMATS

# What `read` of every protocol takes; the rest is a protocol's own and must be in its form.
COMMON = {
    "path", "annotator", "item", "criterion", "moderators", "count", "attributes", "repeats",
    "missing", "separator", "encoding",
}  # fmt: skip


@pytest.fixture(params=FORMS.values(), ids=list(FORMS))
def form(request: pytest.FixtureRequest) -> Form:
    return request.param


def test_each_protocol_has_a_form(form: Form) -> None:
    assert set(FORMS) == set(PROTOCOLS)
    cls = PROTOCOLS[form.protocol]
    assert cls.form is form
    assert (cls.answer_name, cls.system_factors) == (form.answers[0], form.systems)


def test_a_form_has_the_arguments_of_the_reader_and_their_defaults(form: Form) -> None:
    reader: Any = PROTOCOLS[form.protocol]
    taken = {
        name: parameter.default
        for name, parameter in signature(reader.read).parameters.items()
        if name not in COMMON
    }
    assert set(taken) == {argument.name for argument in form.arguments}
    for argument in form.declared:
        expected = Parameter.empty if argument.needed else argument.default
        assert taken[argument.name] == expected


def test_each_argument_of_a_form_has_an_option(form: Form) -> None:
    assert set(form.options) <= set(OWN) | set(Table.__dataclass_fields__)
    assert {name for group in form.needs for name in group} <= set(form.options)


def test_readers_of_platforms_say_what_a_protocol_needs_and_has(form: Form, tmp_path: Any) -> None:
    path = tmp_path / "batch.csv"
    path.write_text("WorkerId,Answer.x\nw1,1\n")
    columns = dict.fromkeys((*form.systems, form.answers[0]), "Answer.x")
    known = {each.name: each.default for each in form.declared if each.needed}
    with pytest.raises(be.JudgementError, match="cannot be declared of"):
        FORMATS["mturk"](path, protocol=form.protocol, columns=columns, **known, wrong=1)
    if known:
        with pytest.raises(be.JudgementError, match=f"{form.protocol} judgements need"):
            FORMATS["mturk"](path, protocol=form.protocol, columns=columns)
