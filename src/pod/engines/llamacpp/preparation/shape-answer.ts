import { BadRequest } from '../../../../contracts/problems.ts';
import type { Constraint, Prompt, ToolChoice, ToolDefinition } from '../../../engine.ts';
import { schemaRule } from '../grammar/json-schema.ts';
import { Rules } from '../grammar/rules.ts';
import { explainTools } from '../tools/explain-tools.ts';
import { proseRule, toolCallsRule } from '../tools/tool-grammar.ts';
import { detectToolSyntax, type ToolSyntax } from '../tools/tool-syntax.ts';
import type { ToolRules } from '../tools/tool-text.ts';

/** How tool calls are parsed from the answer's text. */
export interface AnswerTools {
  syntax: ToolSyntax;
  rules: ToolRules;
}

export interface AnswerShape {
  /** The prompt for the template, with tools explained or removed. */
  prompt: Prompt;
  /** Grammar for the answer; undefined allows any text. */
  grammar?: string;
  tools?: AnswerTools;
}

/** Determines the answer's grammar and how its text is parsed, from the requested tools and formats. */
export function shapeAnswer(
  template: string,
  prompt: Prompt,
  constraint: Constraint | undefined,
): AnswerShape {
  if (prompt.kind !== 'chat') return { prompt, ...plainShape(constraint) };
  const { toolChoice = 'auto', parallelToolCalls = true, ...chat } = prompt;
  const tools = prompt.tools ?? [];
  if (tools.length === 0 || toolChoice === 'none') {
    if (tools.length === 0 && toolChoice !== 'auto' && toolChoice !== 'none')
      throw new BadRequest('tool_choice requires a tool, but the request has no tools.', {
        param: 'tool_choice',
      });
    return { prompt: { ...chat, tools: undefined }, ...plainShape(constraint) };
  }
  const syntax = detectToolSyntax(template);
  const ready: Prompt = syntax.native
    ? chat
    : { ...chat, messages: explainTools(prompt.messages, tools), tools: undefined };
  const { callable, forced, restricted } = readChoice(tools, toolChoice);
  const several = syntax.native && parallelToolCalls;
  const shape: AnswerShape = {
    prompt: ready,
    tools: {
      syntax,
      rules: {
        ...(restricted ? { allowed: new Set(callable.map((tool) => tool.function.name)) } : {}),
        ...(parallelToolCalls ? {} : { most: 1 }),
      },
    },
  };
  const rules = new Rules();
  if (forced) {
    if (constraint)
      throw new BadRequest('response_format cannot be combined with a tool_choice that forces a call.', {
        param: 'tool_choice',
      });
    const many = several && !(typeof toolChoice === 'object' && 'name' in toolChoice);
    return { ...shape, grammar: rules.toGrammar(toolCallsRule(rules, syntax, callable, many)) };
  }
  // A model trained on tools may write freely; another needs a grammar so that it writes only complete calls.
  if (syntax.native && !constraint && !restricted) return shape;
  const calls = toolCallsRule(rules, syntax, callable, several);
  const otherwise = constraint ? constraintRule(rules, constraint) : proseRule(rules, syntax);
  return { ...shape, grammar: rules.toGrammar(`${calls} | ${otherwise}`) };
}

interface ReadChoice {
  callable: ToolDefinition[];
  /** The answer must be a call. */
  forced: boolean;
  /** Only some of the tools shown to the model may be called. */
  restricted: boolean;
}

function readChoice(tools: ToolDefinition[], choice: ToolChoice): ReadChoice {
  if (typeof choice === 'string')
    return { callable: tools, forced: choice === 'required', restricted: false };
  if ('name' in choice) return { callable: [namedTool(tools, choice.name)], forced: true, restricted: false };
  const names = [...new Set(choice.allowed)];
  return {
    callable: names.map((name) => namedTool(tools, name)),
    forced: choice.mode === 'required',
    restricted: true,
  };
}

function plainShape(constraint: Constraint | undefined): { grammar?: string } {
  if (!constraint) return {};
  if (constraint.kind === 'grammar') return { grammar: constraint.gbnf };
  const rules = new Rules();
  return { grammar: rules.toGrammar(constraintRule(rules, constraint)) };
}

function constraintRule(rules: Rules, constraint: Constraint): string {
  if (constraint.kind === 'json') return rules.json('object');
  if (constraint.kind === 'json-schema') return schemaRule(rules, constraint.schema);
  throw new BadRequest('A grammar cannot be combined with tools.', { param: 'response_format' });
}

function namedTool(tools: ToolDefinition[], name: string): ToolDefinition {
  const found = tools.find((tool) => tool.function.name === name);
  if (found) return found;
  throw new BadRequest(`tool_choice names '${name}', which is not one of the tools.`, {
    param: 'tool_choice',
  });
}
