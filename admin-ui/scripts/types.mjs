// Writes src/api/types.ts from the gateway's description of its API: a type for each schema, and for each operation what
// it takes and answers. `--check` writes nothing and fails if the file is not what it would write.
//
// The description uses a small part of JSON Schema, and this reads that part. What it does not know is an error, so
// that nothing becomes `unknown` unnoticed.
import { readFileSync, writeFileSync } from "node:fs";
import { format, resolveConfig } from "prettier";

const SOURCE = new URL("../../gateway/src/main/resources/openapi.json", import.meta.url);
const TARGET = new URL("../src/api/types.ts", import.meta.url);
const METHODS = ["get", "post", "put", "patch", "delete"];

const api = JSON.parse(readFileSync(SOURCE, "utf8"));

function resolve(node) {
  if (!node.$ref) return node;
  return node.$ref
    .slice(2)
    .split("/")
    .reduce((at, key) => at[key], api);
}

function type(schema) {
  if (schema.$ref) return schema.$ref.split("/").at(-1);
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((each) => JSON.stringify(each)).join(" | ");
  for (const either of ["oneOf", "anyOf"]) if (schema[either]) return schema[either].map(type).join(" | ");
  if (schema.allOf) return schema.allOf.map((each) => `(${type(each)})`).join(" & ");
  if (Array.isArray(schema.type))
    return schema.type.map((each) => type({ ...schema, type: each })).join(" | ");
  switch (schema.type) {
    case "string":
      return "string";
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    case "null":
      return "null";
    case "array":
      return `(${type(schema.items)})[]`;
    case "object":
      return object(schema);
    case undefined:
      return "unknown";
    default:
      throw new Error(`a type that is not known here: ${JSON.stringify(schema)}`);
  }
}

function object(schema) {
  if (!schema.properties) {
    const values = schema.additionalProperties;
    return `Record<string, ${values && values !== true ? type(values) : "unknown"}>`;
  }
  const required = new Set(schema.required ?? []);
  const fields = Object.entries(schema.properties).map(([name, each]) => {
    const what = resolve(each).description ?? each.description;
    const comment = what ? `/** ${what.replaceAll("*/", "* /")} */\n` : "";
    return `${comment}${JSON.stringify(name)}${required.has(name) ? "" : "?"}: ${type(each)};`;
  });
  return `{\n${fields.join("\n")}\n}`;
}

function parameters(path, operation, place) {
  const all = [...(path.parameters ?? []), ...(operation.parameters ?? [])].map(resolve);
  const fields = all
    .filter((each) => each.in === place)
    .map((each) => `${JSON.stringify(each.name)}${each.required ? "" : "?"}: ${type(each.schema)};`);
  return fields.length ? `{ ${fields.join(" ")} }` : "Nothing";
}

function content(node) {
  if (!node?.content) return "undefined";
  const found = Object.entries(node.content).map(([media, each]) =>
    media === "application/json" ? type(each.schema) : "string",
  );
  return [...new Set(found)].join(" | ");
}

function answer(operation) {
  const good = Object.entries(operation.responses)
    .filter(([status]) => /^2/.test(status))
    .map(([, each]) => content(resolve(each)));
  return [...new Set(good)].join(" | ");
}

function text() {
  const out = ["// Generated from openapi.json by scripts/types.mjs; not edited by hand.", ""];
  for (const [name, schema] of Object.entries(api.components.schemas)) {
    if (schema.description) out.push(`/** ${schema.description.replaceAll("*/", "* /")} */`);
    out.push(`export type ${name} = ${type(schema)};`, "");
  }
  out.push(
    "type Nothing = Record<never, never>;",
    "",
    "/** By method and path. */",
    "export interface Operations {",
  );
  for (const [path, item] of Object.entries(api.paths))
    for (const method of METHODS) {
      const operation = item[method];
      if (!operation) continue;
      out.push(
        `${JSON.stringify(`${method.toUpperCase()} ${path}`)}: {`,
        `path: ${parameters(item, operation, "path")};`,
        `query: ${parameters(item, operation, "query")};`,
        `body: ${operation.requestBody ? content(resolve(operation.requestBody)) : "undefined"};`,
        `answer: ${answer(operation)};`,
        "};",
      );
    }
  out.push("}");
  return out.join("\n");
}

const file = TARGET.pathname;
const wanted = await format(text(), { ...(await resolveConfig(file)), parser: "typescript" });
if (process.argv.includes("--check")) {
  if (readFileSync(TARGET, "utf8") !== wanted) {
    console.error("src/api/types.ts is not what openapi.json says: run `npm run types`");
    process.exit(1);
  }
} else {
  writeFileSync(TARGET, wanted);
}
