import { z } from 'zod'
import { limitSettings } from './config/limits.ts'
import { mailSettings } from './config/mail.ts'
import { misspelledSettings, type Misspelled } from './config/misspelled.ts'
import type { Refuse, Section } from './config/section.ts'
import { serverSettings } from './config/server.ts'
import { serviceSettings } from './config/services.ts'
import { issuerSettings, providerSettings } from './config/sign-in.ts'
import { dataDir, storageSettings } from './config/storage.ts'
import { shownSetting } from './config/values.ts'

export { explainMisspelled } from './config/misspelled.ts'
export { findRunningServer } from './lib/running-server.ts'

/** The sections of the settings, in the order of `kontor serve --help`. A setting is declared in its section only. */
const sections = [
  serverSettings,
  storageSettings,
  issuerSettings,
  providerSettings,
  mailSettings,
  serviceSettings,
  limitSettings,
] as const

const settings = sections.flatMap((one: Section<unknown>) => one.settings)

const schema = z.object(Object.fromEntries(settings.map((one) => [one.variable, one.schema])))

/** Variables that the command line reads through its options. */
const cliVariables = ['KONTOR_BASE_URL', 'KONTOR_API_KEY', 'KONTOR_ACCESS_TOKEN', 'KONTOR_LOGINS', 'KONTOR_WORKSPACE']

/** The folder for local files, for commands that need no other setting. */
export const readDataDir = (environment: NodeJS.ProcessEnv = process.env): string =>
  dataDir.schema.parse(environment[dataDir.variable] || undefined)

const readSections = (values: Readonly<Record<string, unknown>>, refuse: Refuse) => ({
  ...serverSettings.read(values, refuse),
  ...storageSettings.read(values, refuse),
  ...issuerSettings.read(values, refuse),
  ...providerSettings.read(values, refuse),
  ...mailSettings.read(values, refuse),
  ...serviceSettings.read(values, refuse),
  ...limitSettings.read(values, refuse),
})

/** The settings, as the sections read them. */
export type Config = ReturnType<typeof readSections> & {
  /** Variables that look like settings but are unknown. */
  readonly misspelled: readonly Misspelled[]
}

/** Invalid settings, each with what is allowed. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

const refuse: Refuse = (text) => {
  throw new ConfigError(text)
}

/** Reads the settings; the only reader of the environment. An empty variable counts as absent. */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const known = settings.map(({ variable }) => variable)
  const given = Object.fromEntries(known.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])))
  const parsed = schema.safeParse(given)
  if (!parsed.success) {
    const lines = parsed.error.issues.map(
      ({ path, message }) => `  ${shownSetting(String(path[0]), given[String(path[0])])}: ${message}`,
    )
    return refuse(`These settings are not valid:\n${lines.join('\n')}`)
  }
  const config = readSections(parsed.data, refuse)
  if (!config.jobs && config.databaseUrl.startsWith('sqlite:'))
    refuse('KONTOR_JOBS=0 requires Postgres: on SQLite only the server can run the jobs.')
  return { ...config, misspelled: misspelledSettings(environment, [...known, ...cliVariables]) }
}

function defaultOf(one: z.ZodType): string | undefined {
  const { data } = one.safeParse(undefined)
  return typeof data === 'string' || typeof data === 'number' ? String(data) : undefined
}

/** The settings with their defaults, for `--help` and for the test of the guide to operation. */
export const declaredSettings = settings.map(({ variable, text, schema: one }) => ({
  variable,
  text,
  byDefault: defaultOf(one),
}))

/** One line for each setting, for `--help`. */
export const describeConfig = (): string[] => {
  const width = Math.max(...settings.map(({ variable }) => variable.length)) + 1
  return declaredSettings.map(
    ({ variable, text, byDefault }) =>
      `${variable.padEnd(width)}${text}${byDefault === undefined ? '' : ` (${byDefault})`}`,
  )
}
