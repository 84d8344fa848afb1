import { BadRequest } from '../../../../contracts/problems.ts';
import type { Constraint, Prompt, ToolChoice, ToolDefinition } from '../../../engine.ts';
import { schemaRule } from '../grammar/json-schema.ts';
import { Rules } from '../grammar/rules.ts';
import { explainTools } from '../tools/explain-tools.ts';
import { proseRule, toolCallsRule } from '../tools/tool-grammar.ts';
import { detectToolSyntax, type ToolSyntax } from '../tools/tool-syntax.ts';
import type { ToolRules } from '../tools/tool-text.ts';

/** How calls are read from the answer's text. */
export interface AnswerTools {
  syntax: ToolSyntax;
  rules: ToolRules;
}

export interface AnswerShape {
  /** The prompt as the template should see it: tools explained or left out. */
  prompt: Prompt;
  /** What the answer may look like; anything, where undefined. */
  grammar?: string;
  tools?: AnswerTools;
}

/** Decides what the answer may look like, and how its text is read, from the tools and formats asked for. */
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
      throw new BadRequest('tool_choice asks for a tool, but there are no tools.', { param: 'tool_choice' });
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
      throw new BadRequest('response_format and a tool_choice that forces a call exclude each other.', {
        param: 'tool_choice',
      });
    const many = several && !(typeof toolChoice === 'object' && 'name' in toolChoice);
    return { ...shape, grammar: rules.toGrammar(toolCallsRule(rules, syntax, callable, many)) };
  }
  // A model that was trained on tools writes as it likes; another is kept from writing half a call.
  if (syntax.native && !constraint && !restricted) return shape;
  const calls = toolCallsRule(rules, syntax, callable, several);
  const otherwise = constraint ? constraintRule(rules, constraint) : proseRule(rules, syntax);
  return { ...shape, grammar: rules.toGrammar(`${calls} | ${otherwise}`) };
}

interface ReadChoice {
  callable: ToolDefinition[];
  /** The answer has to be a call. */
  forced: boolean;
  /** Only some of the tools that the model is told of may be called. */
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
  throw new BadRequest('A grammar and tools exclude each other.', { param: 'response_format' });
}

function namedTool(tools: ToolDefinition[], name: string): ToolDefinition {
  const found = tools.find((tool) => tool.function.name === name);
  if (found) return found;
  throw new BadRequest(`tool_choice names '${name}', which is not among the tools.`, {
    param: 'tool_choice',
  });
}
