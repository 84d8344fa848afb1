import { forbidTelemetry } from '../src/platform/config/environment.ts';

// Imported before any native library.
forbidTelemetry();
