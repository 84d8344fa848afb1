import { BadRequest } from '../../../contracts/problems.ts';
import type { Constraint, GenerationRequest, Prompt, ToolDefinition } from '../../engine.ts';
import { schemaRule } from './grammar/json-schema.ts';
import { Rules } from './grammar/rules.ts';
import type { LoadedModel } from './model/load-model.ts';
import { plainText, type TextSink } from './output/text-sink.ts';
import { explainTools } from './tools/explain-tools.ts';
import { proseRule, toolCallsRule } from './tools/tool-grammar.ts';
import { toolSink } from './tools/tool-sink.ts';
import { detectToolSyntax } from './tools/tool-syntax.ts';

export interface AnswerPlan {
  /** The prompt as the template should see it: tools explained or left out. */
  prompt: Prompt;
  /** What the answer may look like; anything, where undefined. */
  grammar?: string;
  sink: TextSink;
}

/** Decides what the answer may look like, and how its text is read, from the tools and formats asked for. */
export function planAnswer(loaded: LoadedModel, { prompt, constraint }: GenerationRequest): AnswerPlan {
  const plain = { grammar: constraintGrammar(constraint), sink: plainText(loaded.tokenBytes) };
  if (prompt.kind !== 'chat') return { prompt, ...plain };
  const { toolChoice = 'auto', ...chat } = prompt;
  const tools = prompt.tools ?? [];
  if (tools.length === 0 || toolChoice === 'none') {
    if (tools.length === 0 && toolChoice !== 'auto' && toolChoice !== 'none')
      throw new BadRequest('tool_choice asks for a tool, but there are no tools.', { param: 'tool_choice' });
    return { prompt: { ...chat, tools: undefined }, ...plain };
  }
  const syntax = detectToolSyntax(loaded.template.source);
  const ready: Prompt = syntax.native
    ? chat
    : { ...chat, messages: explainTools(prompt.messages, tools), tools: undefined };
  const sink = toolSink(loaded.tokenBytes, syntax);
  if (toolChoice !== 'auto') {
    if (constraint)
      throw new BadRequest('response_format and a tool_choice that forces a call exclude each other.', {
        param: 'tool_choice',
      });
    const chosen = typeof toolChoice === 'object' ? [namedTool(tools, toolChoice.name)] : tools;
    const rules = new Rules();
    const several = toolChoice === 'required' && syntax.native;
    return { prompt: ready, sink, grammar: rules.toGrammar(toolCallsRule(rules, syntax, chosen, several)) };
  }
  // A model that was trained on tools is let go; another is kept from writing half a call.
  if (syntax.native && !constraint) return { prompt: ready, sink };
  const rules = new Rules();
  const calls = toolCallsRule(rules, syntax, tools, syntax.native);
  const otherwise = constraint ? constraintRule(rules, constraint) : proseRule(rules, syntax);
  return { prompt: ready, sink, grammar: rules.toGrammar(`${calls} | ${otherwise}`) };
}

function constraintGrammar(constraint: Constraint | undefined): string | undefined {
  if (!constraint) return undefined;
  if (constraint.kind === 'grammar') return constraint.gbnf;
  const rules = new Rules();
  return rules.toGrammar(constraintRule(rules, constraint));
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
