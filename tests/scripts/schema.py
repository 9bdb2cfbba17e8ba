#!/usr/bin/env python3
"""schema.py SCHEMA DOCUMENT…: says where JSON documents differ from a JSON schema, and exits with 1 if one does.

Knows the keywords that docs/schema uses, and is stricter than readers need to be: a member that the schema does not name
is an error, so that the schema stays complete."""
import json
import sys

types = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def has_type(value, name: str) -> bool:
    if name in ("integer", "number"):
        return isinstance(value, (int, float) if name == "number" else int) and not isinstance(value, bool)
    return isinstance(value, types[name])


class Validator:
    def __init__(self, root):
        self.root, self.errors = root, []

    def check(self, value, schema, path):
        if "$ref" in schema:
            target = self.root
            for part in schema["$ref"].removeprefix("#/").split("/"):
                target = target[part]
            return self.check(value, target, path)
        wanted = schema.get("type", [])
        wanted = [wanted] if isinstance(wanted, str) else wanted
        if wanted and not any(has_type(value, name) for name in wanted):
            self.errors.append(f"{path}: {value!r} is not of type {' or '.join(wanted)}")
        if "enum" in schema and value not in schema["enum"]:
            self.errors.append(f"{path}: {value!r} is none of {schema['enum']}")
        if "minimum" in schema and has_type(value, "number") and value < schema["minimum"]:
            self.errors.append(f"{path}: {value} is less than {schema['minimum']}")
        if isinstance(value, dict):
            self.check_object(value, schema, path)
        if isinstance(value, list):
            self.check_array(value, schema, path)

    def check_object(self, value, schema, path):
        properties, other = schema.get("properties"), schema.get("additionalProperties")
        self.errors += [f"{path}: lacks {key}" for key in schema.get("required", []) if key not in value]
        for key, member in value.items():
            if key in (properties or {}):
                self.check(member, properties[key], f"{path}/{key}")
            elif other is not None:
                self.check(member, other, f"{path}/{key}")
            elif properties is not None:
                self.errors.append(f"{path}: {key} is not in the schema")

    def check_array(self, value, schema, path):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            self.errors.append(f"{path}: {len(value)} items")
        for i, item in enumerate(value if "items" in schema else []):
            self.check(item, schema["items"], f"{path}/{i}")


def errors_of(document, schema) -> list[str]:
    validator = Validator(schema)
    validator.check(document, schema, "")
    return validator.errors


def main() -> int:
    schema = json.load(open(sys.argv[1]))
    errors = [f"{name}: {error}" for name in sys.argv[2:] for error in errors_of(json.load(open(name)), schema)]
    print("\n".join(errors[:20]))
    return int(bool(errors))


if __name__ == "__main__":
    sys.exit(main())
