import type { ToolDefinition } from '../../../engine.ts';
import { schemaRule } from '../grammar/json-schema.ts';
import { literal, type Rules } from '../grammar/rules.ts';
import type { ToolSyntax } from './tool-syntax.ts';

/** With more calls than this in one answer, the model is probably in a loop. */
const maxCalls = 8;

/** Rule for one or more calls of these tools, with arguments that fit their schemas. */
export function toolCallsRule(
  rules: Rules,
  syntax: ToolSyntax,
  tools: ToolDefinition[],
  several: boolean,
): string {
  const call = rules.add(
    tools
      .map(({ function: { name, parameters } }) => {
        const schema = parameters && Object.keys(parameters).length > 0 ? parameters : { type: 'object' };
        const head = literal(`{"name": ${JSON.stringify(name)}, "${syntax.argumentsKey}": `);
        return `${head} ${schemaRule(rules, schema, { lenient: true })} "}"`;
      })
      .join(' | '),
  );
  const more = several ? maxCalls - 1 : 0;
  if (syntax.list) return `${literal(`${syntax.opening}[`)} ${call} ("," " "? ${call}){0,${more}} "]"`;
  if (syntax.opening === '') return call;
  const block = rules.add(`${literal(syntax.opening)} ${call} ${literal(syntax.closing)}`);
  return `${block} ("\\n" ${block}){0,${more}}`;
}

/** Rule for any text that does not begin like a call. */
export function proseRule(rules: Rules, syntax: ToolSyntax): string {
  const start = syntax.opening.charAt(0) || '{';
  const set = start === '[' ? '\\[' : start;
  return rules.add(`[^${set}] [^\\x00]*`);
}
