import type { Command } from 'commander';
import { answerLimit } from '../../console/page/answer-limits.js';
import { finiteNumber, positiveInteger } from '../terminal/arguments.ts';

export interface ChatOptions {
  system?: string;
  adapter?: string;
  temperature?: number;
  maxTokens?: number;
}

export function withChatOptions(command: Command): Command {
  return command
    .option('--system <text>', 'system message')
    .option('--temperature <number>', 'sampling temperature; 0 is deterministic', finiteNumber)
    .option(
      '--max-tokens <number>',
      `maximum number of tokens per answer (default: ${answerLimit})`,
      positiveInteger,
    );
}
