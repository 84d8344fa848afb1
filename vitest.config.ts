import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { noTelemetry } from './src/platform/config/no-telemetry.ts';

/** Without times of an earlier run, the largest files come first. The guides are small, and take long. */
class GuidesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isGuide = ({ moduleId }: TestSpecification) => moduleId.includes('/test/guides/');
    const sorted = await super.sort(files);
    return [...sorted.filter(isGuide), ...sorted.filter((file) => !isGuide(file))];
  }
}

export default defineConfig({
  test: {
    include: ['bench/**/*.test.ts', 'src/**/*.test.ts', 'test/**/*.test.ts'],
    env: noTelemetry,
    sequence: { sequencer: GuidesFirst },
    // Two cores: more forks than that only makes the timing-sensitive tests wait for each other.
    maxWorkers: 2,
    // Far beyond what any needs: a busy machine must not fail what is right.
    testTimeout: 180_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 90_000 } },
  },
});
