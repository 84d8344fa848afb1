import type { RegressionResult } from '../../contracts/document-index/commands.ts';
import type { RunningDependencies } from '../index-dependencies.ts';

/** The bot's regression questions after a change. That they can't be put must not fail the change. */
export async function checkQuestions(
  deps: Pick<RunningDependencies, 'regression' | 'logger'>,
  bot: string,
  signal: AbortSignal,
): Promise<{ regression?: RegressionResult }> {
  try {
    const regression = await deps.regression?.(bot, signal);
    return regression ? { regression } : {};
  } catch (error) {
    signal.throwIfAborted();
    deps.logger.warn({ err: error, bot }, 'the regression questions could not be put');
    const why = 'the questions could not be put; see the server log';
    return { regression: { questions: 0, passed: 0, worse: [], error: why } };
  }
}
