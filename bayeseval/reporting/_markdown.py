"""A report as Markdown, without figures."""

from bayeseval._tables import markdown_mark
from bayeseval._text import escape_markdown
from bayeseval.reporting._document import Document


def to_markdown(document: Document) -> str:
    """Write the document as GitHub-flavoured Markdown; every label is escaped."""
    escape = escape_markdown
    parts = [f"# {escape(document.title)}", escape(document.subtitle)]
    parts += [f"> {markdown_mark(alarm)}" for alarm in document.alarms]
    parts.append("## The answer")
    for criterion, sentences in document.answers:
        if criterion:
            parts.append(f"### {escape(criterion)}")
        parts.append("\n".join(f"- {escape(sentence)}" for sentence in sentences))
    for section in document.sections:
        parts.append(f"## {escape(section.heading)}")
        for block in section.blocks:
            if not (block.sentences or block.formulas or block.tables or block.folded):
                continue
            parts.append(f"### {escape(block.heading)}")
            parts += [escape(sentence) for sentence in block.sentences]
            parts += [f"    {formula}" for formula in block.formulas]
            parts += [table.markdown() for table in (*block.tables, *block.folded)]
    return "\n\n".join(parts) + "\n"
