import type { Config } from '../config.ts'
import { openDatabase } from '../db/open.ts'

/** Reader processes of SQLite: of two, one workspace takes one, so that another finds the other free. */
const readersMax = 2

/** Opens the configured database. */
export const openConfigured = (config: Config) =>
  openDatabase({
    url: config.databaseUrl,
    listenUrl: config.listenUrl,
    statementTimeoutMs: config.statementTimeoutMs,
    connectionsMax: config.connectionsMax,
    readersMax,
    replicas: config.replicas,
  })

/** The base URL of the API, given the port that it listens on. */
export function baseUrlOf(config: Config, port: number): string {
  const host =
    config.host === '0.0.0.0' || config.host === '::'
      ? 'localhost'
      : config.host.includes(':')
        ? `[${config.host}]`
        : config.host
  return config.baseUrl ?? `http://${host}:${port}/v1`
}

export const authUrlOf = (config: Config, port: number): string =>
  config.authUrl ?? new URL(baseUrlOf(config, port)).origin
