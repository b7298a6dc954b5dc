"""The same as recorded.mjs, with python-jsonschema: recorded.py SCHEMA FOLDER (SIDE NAME)..."""

import json
import sys

from jsonschema import Draft202012Validator

with open(sys.argv[1]) as file:
    schema = json.load(file)
defs = schema["$defs"]


def variants(name, tags=()):
    """The flat objects of a definition, by the constants that tell them apart."""
    parts = [part["$ref"].rsplit("/", 1)[1] for part in defs[name].get("anyOf", []) if "$ref" in part]
    if parts:
        for part in parts:
            yield from variants(part)
    else:
        fields = defs[name]["properties"]
        tags = {field: fields[field]["const"] for field in ("type", "event") if "const" in fields.get(field, {})}
        rule = {"$ref": f"#/$defs/{name}", "$defs": defs}
        yield tags, Draft202012Validator(rule)


isValid = True
for side, name in zip(sys.argv[3::2], sys.argv[4::2]):
    rules = list(variants(name))
    messages = invalid = 0
    for text in open(f"{sys.argv[2]}/{side}.jsonl"):
        message = json.loads(text)
        messages += 1
        # Those of other constants refuse it.
        fitting = (rule for tags, rule in rules if all(message.get(field) == tag for field, tag in tags.items()))
        if not any(rule.is_valid(message) for rule in fitting):
            invalid += 1
            if invalid < 5:
                print(text, file=sys.stderr)
    print(f"jsonschema: {messages} messages of the {side}: {invalid} invalid")
    isValid = isValid and messages > 0 and invalid == 0
sys.exit(not isValid)
