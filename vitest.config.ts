import { defineConfig } from 'vitest/config';
import { noTelemetry } from './src/platform/config/no-telemetry.ts';

export default defineConfig({
  test: {
    include: ['bench/**/*.test.ts', 'src/**/*.test.ts', 'test/**/*.test.ts'],
    env: noTelemetry,
    // Two cores: more forks than that only makes the timing-sensitive tests wait for each other.
    maxWorkers: 2,
    // Far beyond what any needs: a busy machine must not fail what is right.
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
