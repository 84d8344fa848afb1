import type { Template } from '@huggingface/jinja';

/** Python writes an empty object as `{}` even when indenting; the renderer puts a line break between the brackets. */
export function joinEmptyBrackets(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"|([[{])\s+([\]}])/g, (found, open, close) =>
    open === undefined ? found : open + close,
  );
}

interface Node {
  type: string;
  [member: string]: unknown;
}

/** Wraps each `… | tojson(indent=…)` of a template in `join_empty_brackets(…)`. */
export function closeEmptyJson(template: Template): void {
  const seen = new Set<unknown>();
  const visit = (value: unknown): unknown => {
    if (value === null || typeof value !== 'object' || seen.has(value)) return value;
    seen.add(value);
    for (const [key, inner] of Object.entries(value)) (value as Record<string, unknown>)[key] = visit(inner);
    return isIndentedJson(value as Node)
      ? {
          type: 'CallExpression',
          callee: { type: 'Identifier', value: 'join_empty_brackets' },
          args: [value],
        }
      : value;
  };
  visit(template.parsed);
}

function isIndentedJson(node: Node): boolean {
  const filter = node.filter as Node | undefined;
  const callee = filter?.callee as Node | undefined;
  return node.type === 'FilterExpression' && filter?.type === 'CallExpression' && callee?.value === 'tojson';
}
