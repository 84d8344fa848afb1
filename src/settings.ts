import { z } from 'zod';
import { chatbotSettings } from './chatbot/settings.ts';
import { dispatcherSettings } from './dispatcher/settings.ts';
import { indexSettings } from './document-index/settings.ts';
import { sourceSettings } from './document-index/sources/settings.ts';
import { documentSettings } from './documents/settings.ts';
import { hostedSettings } from './hosted/settings.ts';
import { launcherSettings } from './launchers/settings.ts';
import { managementSettings } from './management/settings.ts';
import { modelSettings } from './models/settings.ts';
import { type ConfigSources, loadSettings } from './platform/config/load-settings.ts';
import { platformSettings } from './platform/config/platform-settings.ts';
import { printSettings } from './platform/config/print-settings.ts';
import { type PlatformConfig, resolvePlatform } from './platform/config/resolve-platform.ts';
import { outgoingSettings } from './platform/outgoing/settings.ts';
import { vectorSettings } from './platform/vectors/settings.ts';
import { podSettings } from './pod/settings.ts';

const { host, port, data_dir, machine, admin_token, secret_key, ...sections } = platformSettings;
const { starter, ...managementSections } = managementSettings;
const inOrder = Object.entries({
  ...sections,
  ...chatbotSettings,
  ...dispatcherSettings,
  ...documentSettings,
  ...hostedSettings,
  ...indexSettings,
  ...launcherSettings,
  ...managementSections,
  ...modelSettings,
  ...outgoingSettings,
  ...podSettings,
  ...vectorSettings,
  ...sourceSettings,
}).sort(([one], [other]) => one.localeCompare(other));

/** All settings: those without a section first, then the sections in alphabetical order. */
export const ConfigInput = z.strictObject({
  host,
  port,
  data_dir,
  machine,
  admin_token,
  secret_key,
  starter,
  ...(Object.fromEntries(inOrder) as typeof sections &
    typeof chatbotSettings &
    typeof dispatcherSettings &
    typeof documentSettings &
    typeof hostedSettings &
    typeof indexSettings &
    typeof launcherSettings &
    typeof managementSections &
    typeof modelSettings &
    typeof outgoingSettings &
    typeof podSettings &
    typeof sourceSettings &
    typeof vectorSettings),
});
export type Config = z.output<typeof ConfigInput> & PlatformConfig;

/** Reads file, environment and flags. Reports all problems in one `StartupError`. */
export function loadConfig(sources: ConfigSources): Config {
  return loadSettings(ConfigInput, resolvePlatform, sources);
}

/** The configuration as YAML, with secrets masked. */
export const printConfig = (config: Config): string => printSettings(ConfigInput, config);
