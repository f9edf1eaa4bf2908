"""Every template renders as handlebars.js renders it, or is refused; never silently differently."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tcab_dagster.templating import TemplateError, render
from tests.templating.generated import CONTEXT, Generator, broken
from tests.templating.oracle import Handlebars

RENDERED = {
    "text": "No tags at all, } { \\ and ~ included.\n",
    "nothing": "",
    "an output": "{{version}} of {{ variant.name }}",
    "no escaping": "{{title}} {{{title}}} {{&title}}",
    "slashed paths": "{{variant/deep/er.est}} {{this.version}} {{./version}} {{this/version}}",
    "brackets": "{{[a key]}} {{variant.[name]}} {{[1st]}} {{is_frenzy-mode}}",
    "names of Python's dict": "{{items.keys}} {{#each items.values}}{{this}}{{/each}}",
    "names of helpers": "{{this.version}}{{#if items}}{{#with items}}{{this.get}}{{/with}}{{/if}}",
    "numbers": "{{zero}} {{one}} {{half}} {{huge}}{{#each numbers}} {{this}}{{/each}}",
    "booleans": "{{yes}} {{no}}{{#each flags}} {{this}}{{/each}}",
    "length": "{{specs.length}} {{words.length}} {{nothing.length}}",
    "if and else": "{{#if yes}}a{{else}}b{{/if}}{{#if no}}a{{else}}b{{/if}}",
    "if not": "{{#unless no}}a{{else}}b{{/unless}}{{#unless yes}}a{{/unless}}",
    "what is true": "{{#if empty}}e{{/if}}{{#if zero}}z{{/if}}{{#if nothing}}n{{/if}}"
    "{{#if items}}i{{/if}}{{#if half}}h{{/if}}{{#if title}}t{{/if}}{{#if words}}w{{/if}}",
    "else if": "{{#if no}}a{{else if zero}}b{{else if yes}}c{{else}}d{{/if}}",
    "else unless, each and with": "{{#if no}}a{{else unless yes}}b{{else each words}}{{this}},"
    "{{/if}}{{#if no}}{{else with variant}}{{name}}{{/if}}",
    "else as a caret": "{{#if no}}a{{^}}b{{/if}}",
    "an inverted helper": "{{^if no}}a{{/if}}",
    "each": "{{#each specs}}- {{dest}} ({{name}}){{/each}}",
    "each of nothing": "{{#each nothing}}x{{else}}none{{/each}}",
    "each over a mapping": "{{#each variant.deep.er}}{{@key}}={{this}}{{/each}}",
    "loop data": "{{#each specs}}{{@index}} {{@key}} {{@first}} {{@last}};{{/each}}",
    "outer loop data": "{{#each specs}}{{#each tags}}{{@../index}}.{{@index}} {{/each}}{{/each}}",
    "loop data through with": "{{#each specs}}{{#with @root.variant}}{{@index}} {{/with}}{{/each}}",
    "parents": "{{#each specs}}{{dest}} {{../version}} {{#each tags}}{{../name}}{{../../one}}, "
    "{{/each}}{{/each}}",
    "parents through if": "{{#each specs}}{{#if main}}{{../version}}{{/if}}{{/each}}",
    "the root": "{{#each specs}}{{#each tags}}{{@root.version}} {{/each}}{{/each}}",
    "with": "{{#with variant}}{{name}} {{../version}}{{#with deep.er}} {{est}}{{/with}}{{/with}}",
    "block parameters": "{{#each specs as |spec i|}}{{i}} {{spec.dest}} "
    "{{#each spec.tags as |tag|}}{{tag}} of {{spec.name}} {{/each}}{{/each}}"
    "{{#with variant as |v|}}{{v.name}}{{/with}}",
    "a block parameter hides a name": "{{#each words as |version|}}{{version}} {{/each}}",
    "sections": "{{#yes}}a{{/yes}}{{#no}}b{{else}}c{{/no}}{{#variant}}{{name}}{{/variant}}"
    "{{#words}}{{this}},{{/words}}{{#nothing}}x{{else}}y{{/nothing}}",
    "inverted sections": "{{^yes}}a{{/yes}}{{^no}}b{{/no}}{{^nothing}}c{{/nothing}}"
    "{{^words}}d{{else}}{{this}};{{/words}}{{^variant}}e{{/variant}}",
    "comments": "a{{! x }}b{{!-- }} {{version}} --}}c{{!}}d{{!----}}e",
    "a comment holding the end of a tag": "{{!-- a }} b --}}",
    "an escaped tag": "\\{{version}} {{version}} \\\\{{version}} \\{{a\\{{b",
    "an escaped tag at the end": "x \\{{version}}",
    "lines of their own": "a\n{{#if yes}}\n  b\n{{else}}\n  c\n{{/if}}\nd\n",
    "indented lines of their own": "a\n  {{#each specs}}  \n  - {{dest}}\n  {{/each}}\t\nd",
    "a comment's own line": "a\n  {{! note }}\nb\n{{!-- last --}}",
    "blocks at both ends": "{{#if yes}}\na\n{{/if}}\n{{#if yes}}\nb\n{{/if}}",
    "two tags on one line": "{{#if yes}} {{#if yes}}\na\n{{/if}} {{/if}}\nb",
    "Windows lines": "a\r\n{{#if yes}}\r\n  b\r\n{{/if}}\r\nc\r\n",
    "whitespace control": "a \n {{~version~}} \n b {{~#if yes~}} c {{~else~}} d {{~/if~}} e",
    "whitespace control in a chain": "{{#if no}} a {{~else if yes~}} b {{~else if one~}} c "
    "{{~else~}} d {{~/if}}",
    "an else's own line in a chain": "{{#if no}}\na\n{{else if no}}\nb\n{{else if yes}}\nc\n"
    "{{else}}\nd\n{{/if}}\n",
    "braces beside tags": "{ {{version}} } {a} }} }}}",
    "Unicode": "é€𝄞 {{title}} \u2028\ufeff",
    "a blank line kept": "\n\n{{#each words}}\n\n{{this}}\n\n{{/each}}\n\n",
}

REFUSED = {
    "an unclosed output": ("a {{version", "never closed"),
    "an unclosed block": ("a {{#if yes}} b", "`if` is never closed"),
    "an unclosed comment": ("a {{! b", "never closed"),
    "an unclosed long comment": ("a {{!-- b }}", "never closed"),
    "blocks that cross": ("{{#if yes}}{{#each words}}{{/if}}{{/each}}", "where `each` is open"),
    "a stray closing tag": ("a{{/if}}", "not open"),
    "a stray else": ("a{{else}}b", "outside any block"),
    "a second else": ("{{#if yes}}{{else}}{{else}}{{/if}}", "already has its `else`"),
    "an else if after else": ("{{#if yes}}{{else}}{{else if no}}{{/if}}", "already has its `else`"),
    "an unknown name": ("{{vesion}}", "did you mean `version`?"),
    "an unknown name in a loop": ("{{#each specs}}{{dst}}{{/each}}", "did you mean `dest`?"),
    "an unknown name in a branch not taken": ("{{#if no}}{{dst}}{{/if}}", "no `dst`"),
    "a name of text": ("{{version.length}}", "which is text"),
    "a name only some items have": ("{{#each mixed}}{{only}}{{/each}}", "no `only`"),
    "a parent too many": ("{{../version}}", "leaves the template's context"),
    "loop data outside a loop": ("{{@index}}", "only within `#each`"),
    "other data": ("{{@level}}", "not supported"),
    "an object": ("{{variant}}", "a mapping, which cannot be printed"),
    "a list": ("{{words}}", "a list, which cannot be printed"),
    "each over text": ("{{#each version}}{{/each}}", "loops over a list or a mapping"),
    "with a list": ("{{#with words}}{{/with}}", "enters a mapping"),
    "a section of text": ("{{#version}}{{/version}}", "use `#if`"),
    "a partial": ("{{> header}}", "partials are not supported"),
    "a partial block": ("{{#> header}}{{/header}}", "partials are not supported"),
    "a decorator": ("{{* note}}", "decorators are not supported"),
    "an inline partial": ('{{#*inline "x"}}{{/inline}}', "decorators are not supported"),
    "a raw block": ("{{{{raw}}}}{{x}}{{{{/raw}}}}", "raw blocks"),
    "a subexpression": ("{{#if (not yes)}}{{/if}}", "not supported"),
    "an argument": ("{{version yes}}", "no helper `version`"),
    "an unknown block helper": ("{{#repeat words}}{{/repeat}}", "no block helper `repeat`"),
    "lookup": ("{{lookup words one}}", "a helper of Handlebars"),
    "log": ("{{log version}}", "a helper of Handlebars"),
    "a literal": ("{{#if true}}{{/if}}", "the literal true"),
    "a literal text": ('{{"version"}}', "the literal"),
    "a named argument": ("{{#if zero includeZero=true}}{{/if}}", "named arguments"),
    "an index": ("{{words.[0]}}", "no `0`"),
    "if without a name": ("{{#if}}{{/if}}", "exactly one name"),
    "each without a name": ("{{#each}}{{/each}}", "exactly one name"),
    "a name that starts with else": ("{{elsewhere}}", "as an `else`"),
    "elseif in one word": ("{{#if no}}{{elseif yes}}{{/if}}", "else if"),
    "three braces closed by two": ("{{{version}}", "braces"),
    "two braces closed by three": ("{{version}}}", "braces"),
    "an empty tag": ("{{}}", "empty"),
    "block parameters of if": ("{{#if yes as |y|}}{{/if}}", "no block parameters"),
    "this in the middle": ("{{variant.this.name}}", "after a name"),
    "numbers that JavaScript would add": ("{{one}}{{half}}", "add them up"),
    "an ambiguous parent": ("{{#each words}}{{#each @root.words}}{{..}}{{/each}}{{/each}}",
                            "ambiguous"),
    "a mapping with numbers for names": ("{{#each numbered}}{{/each}}", "reorders"),
    "code in a bracketed name": ("{{[a', __import__('os')) or ('b]}}", "not a name"),
    "deep nesting": ("{{#if yes}}" * 33 + "{{/if}}" * 33, "nested more than 32"),
    "U+0000": ("a\0b", "U+0000"),
}  # fmt: skip


@pytest.mark.parametrize("template", RENDERED.values(), ids=RENDERED.keys())
def test_what_the_docs_promise_renders_as_in_handlebars(
    template: str, handlebars: Handlebars
) -> None:
    answer = handlebars.render(template, CONTEXT)

    assert answer.error is None
    assert render(template, CONTEXT, name="t.hbs") == answer.output


@pytest.mark.parametrize(("template", "reason"), REFUSED.values(), ids=REFUSED.keys())
def test_what_they_do_not_promise_is_refused_with_a_reason(template: str, reason: str) -> None:
    context = {**CONTEXT, "mixed": [{"only": "x"}, {"other": "y"}], "numbered": {"2": "", "1": ""}}

    with pytest.raises(TemplateError) as refusal:
        render(template, context, name="t.hbs")

    assert reason in str(refusal.value)
    assert "t.hbs:1:" in str(refusal.value)


def test_of_generated_templates_most_render_and_each_as_in_handlebars(
    handlebars: Handlebars,
) -> None:
    generator = Generator(seed=2026)
    templates = [generator.template() for _ in range(400)]
    rendered = 0

    for template in templates:
        answer = handlebars.render(template, CONTEXT)
        assert answer.error is None, template
        try:
            output = render(template, CONTEXT, name="t.hbs")
        except TemplateError:
            continue
        assert output == answer.output, template
        rendered += 1

    assert rendered >= 0.8 * len(templates)


def test_of_broken_templates_none_renders_differently(handlebars: Handlebars) -> None:
    generator, random = Generator(seed=7), Random(7)
    outcomes = {"rendered": 0, "refused": 0}

    for _ in range(1000):
        template = broken(generator.template(), random)
        try:
            output = render(template, CONTEXT, name="t.hbs")
        except TemplateError:
            outcomes["refused"] += 1
            continue
        outcomes["rendered"] += 1
        assert output == handlebars.render(template, CONTEXT).output, template

    assert min(outcomes.values()) > 100


FRAGMENTS = [
    "{{", "}}", "{", "}", "~", "!", "!--", "--", "#", "/", "^", "&", ">", "*", "else", "if", "each",
    "with", "unless", " ", "\n", "\r\n", "\t", ".", "..", "/", "@", "this", "version", "words",
    "variant", "name", "yes", "no", "as |w|", "[", "]", "|", "\\", "\\\\", "'", '"', "=", "(", ")",
    "{{else}}", "{{/if}}", "{{#if yes}}", "{{#each words}}", "{{/each}}", "{{version}}", "0", "x",
    "index", "first", "root", "\u00a0", "\x1c", "\ufeff", "-", "true", "{{~", "~}}",
]  # fmt: skip


@settings(max_examples=600, derandomize=True, deadline=None)
@given(pieces=st.lists(st.sampled_from(FRAGMENTS), max_size=14))
def test_of_any_soup_of_fragments_none_renders_differently(
    pieces: list[str], handlebars: Handlebars
) -> None:
    template = "".join(pieces)
    try:
        output = render(template, CONTEXT, name="t.hbs")
    except TemplateError:
        return

    assert output == handlebars.render(template, CONTEXT).output


def test_the_templates_of_hostile_names_reach_no_attribute_of_python(
    handlebars: Handlebars,
) -> None:
    context = {"constructor": "c", "__class__": "k", "items": "i", "pop": "p", "length": "l"}
    template = "{{constructor}} {{__class__}} {{items}} {{pop}} {{length}}"

    assert render(template, context, name="t.hbs") == "c k i p l"
    assert handlebars.render(template, context).output == "c k i p l"
    with pytest.raises(TemplateError, match="no `__init__`"):
        render("{{__init__}}", context, name="t.hbs")
