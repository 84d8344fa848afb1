import { parentPort, workerData } from 'node:worker_threads';
import { Problem } from '../../../../contracts/problems.ts';
import { compileTemplate, type SpecialTokens } from '../prompt/chat-template.ts';
import { type PreparationInput, preparePrompt } from './prepare-prompt.ts';
import type { ThreadAnswer } from './stoppable-thread.ts';

export interface PreparationSettings {
  /** The chat template from the model file. */
  template: string | undefined;
  special: SpecialTokens;
  controlTexts: readonly string[];
  longestToken: number;
  contextLength: number;
}

const { template, special, ...facts } = workerData as PreparationSettings;
const model = { template: compileTemplate(template, special), ...facts };

parentPort?.on('message', (input: PreparationInput) => {
  parentPort?.postMessage(answer(input));
});

function answer(input: PreparationInput): ThreadAnswer {
  try {
    return { kind: 'result', result: preparePrompt(model, input) };
  } catch (error) {
    const { message } = error as Error;
    if (!(error instanceof Problem)) return { kind: 'fault', message };
    return { kind: 'refusal', message, code: error.code, param: error.param };
  }
}
