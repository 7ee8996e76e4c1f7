import { isIP } from 'node:net'
import { z } from 'zod'
import { misspelledSettings, type Misspelled } from './lib/misspelled.ts'

export { explainMisspelled } from './lib/misspelled.ts'
export { findRunningServer } from './lib/running-server.ts'

const minutes = z.coerce.number('must be a number').int('must be a whole number').min(0, 'must be from 0 on')

const portSchema = z.coerce
  .number('must be a number')
  .int('must be a whole number')
  .min(0, 'must be from 0 on')
  .max(65_535, 'must be at most 65535')

const isOrigin = (text: string): boolean => /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text

const splitList = (text: string): string[] => text.split(',').map((item) => item.trim())

const networkNames = ['loopback', 'linklocal', 'uniquelocal']

/** In the form of Express' `trust proxy`. */
function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/')
  const family = isIP(address)
  return (
    networkNames.includes(text) ||
    (family !== 0 &&
      more.length === 0 &&
      (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))))
  )
}

const originsSchema = z
  .string()
  .refine(
    (text) => splitList(text).every((origin) => origin === '*' || isOrigin(origin)),
    'must be *, or origins such as https://app.example.com, separated by commas',
  )

/** The environment variables that Kontor reads, with their meaning; `kontor serve --help` prints this table. */
const variables = {
  PORT: portSchema.default(4000).describe('port to listen on; 0 takes a free one'),
  HOST: z.string().min(1).default('127.0.0.1').describe('address to listen on'),
  DATABASE_URL: z
    .string()
    .regex(/^(sqlite:.+|postgres(ql)?:\/\/.+)$/, 'must be sqlite:PATH or postgres://…')
    .optional()
    .describe('sqlite:PATH or postgres://…; by default a SQLite file in DATA_DIR'),
  DATA_DIR: z.string().min(1).default('./data').describe('folder for the embedded database and other local files'),
  BASE_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
    .regex(/\/v1\/?$/, 'must end in /v1, the version of the API')
    .optional()
    .describe('public address of the API, with its /v1; by default from HOST and PORT'),
  AUTH_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
    .optional()
    .describe('public address of sign-in; by default the origin of BASE_URL'),
  OIDC_ISSUER: z.url().optional().describe('an identity provider whose access tokens are accepted'),
  OIDC_JWKS_URL: z.url().optional().describe('its keys; by default OIDC_ISSUER/.well-known/jwks.json'),
  OIDC_AUDIENCE: z.string().min(1).optional().describe('audience that its tokens must name'),
  SMTP_URL: z
    .url({
      protocol: /^smtps?$/,
      error: 'must be an smtp: or smtps: URL, such as smtps://user:password@mail.example.com',
    })
    .optional()
    .describe('mail server for invitations and new passwords; without it their links are answered or logged'),
  MAIL_FROM: z.string().min(3).default('Kontor <kontor@localhost>').describe('sender of e-mail'),
  RATE_LIMIT_PER_MINUTE: minutes.default(3000).describe('requests a minute for each workspace and endpoint; 0 is off'),
  SIGN_INS_PER_MINUTE: minutes
    .default(10)
    .describe('tries to sign in, a minute, from each address of the network; 0 is off'),
  TRUSTED_PROXIES: z
    .string()
    .refine(
      (text) => splitList(text).every(isNetwork),
      'must be addresses, networks such as 10.0.0.0/8, or loopback, linklocal, uniquelocal, separated by commas',
    )
    .optional()
    .describe('proxies in front whose X-Forwarded-For is believed'),
  REQUESTS_MAX: z.coerce
    .number('must be a number')
    .int('must be a whole number')
    .min(1, 'must be from 1 on')
    .default(1000)
    .describe('requests at work at once in each server; more are told to come again'),
  REQUEST_TIMEOUT_MS: z.coerce
    .number()
    .int()
    .min(1000)
    .max(3_600_000)
    .default(60_000)
    .describe('longest that a request may take to arrive'),
  CORS_ORIGINS: originsSchema.optional().describe('origins whose pages may call, comma-separated, or *'),
  METRICS_TOKEN: z
    .string()
    .min(16, 'must have at least 16 characters')
    .optional()
    .describe('opens /metrics to other machines: Authorization: Bearer METRICS_TOKEN'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('least level that is logged'),
  KONTOR_DEMO: z.enum(['0', '1']).default('1').describe('1 puts sample data into an empty database'),
  DATABASE_CONNECTIONS: z.coerce
    .number()
    .int()
    .min(2)
    .max(500)
    .default(10)
    .describe('connections to Postgres for each node'),
  FIELD_INDEX_THRESHOLD: z.coerce
    .number('must be a number')
    .int('must be a whole number')
    .min(0, 'must be from 0 on')
    .default(20_000)
    .describe('records of an object above which what it is sorted and filtered by gets an index'),
  STATEMENT_TIMEOUT_MS: z.coerce
    .number()
    .int()
    .min(100)
    .max(600_000)
    .default(10_000)
    .describe('longest that one query may run'),
} as const

const schema = z.object(variables)

/** Variables that the command line reads through its options. */
const commandLineVariables = ['KONTOR_BASE_URL', 'KONTOR_API_KEY', 'KONTOR_ACCESS_TOKEN', 'KONTOR_WORKSPACE']

/** The folder for local files, for commands that need no other setting. */
export const readDataDir = (environment: NodeJS.ProcessEnv = process.env): string =>
  environment['DATA_DIR'] || variables.DATA_DIR.parse(undefined)

export type Config = {
  readonly port: number
  readonly host: string
  readonly databaseUrl: string
  readonly dataDir: string
  /** Undefined until the port is known, if it derives from the port. */
  readonly baseUrl: string | undefined
  readonly authUrl: string | undefined
  readonly outsideIssuer:
    | { readonly issuer: string; readonly jwksUrl: string; readonly audience: string | undefined }
    | undefined
  readonly mail: { readonly smtpUrl: string; readonly from: string } | undefined
  readonly rateLimitPerMinute: number
  readonly signInsPerMinute: number
  readonly trustedProxies: readonly string[]
  readonly requestsMax: number
  readonly requestTimeoutMs: number
  /** `*` for any. */
  readonly corsOrigins: readonly string[]
  readonly metricsToken: string | undefined
  readonly logLevel: z.infer<typeof variables.LOG_LEVEL>
  readonly demo: boolean
  readonly connectionsMax: number
  readonly statementTimeoutMs: number
  readonly fieldIndexThreshold: number
  /** Variables that look like settings but are unknown. */
  readonly misspelled: readonly Misspelled[]
}

/** Invalid settings, each with what is allowed. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** Reads the settings; the only reader of the environment. An empty variable counts as absent. */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const given = Object.fromEntries(
    Object.keys(variables).flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])),
  )
  const parsed = schema.safeParse(given)
  if (!parsed.success) {
    const lines = parsed.error.issues.map(
      ({ path, message }) => `  ${String(path[0])}=${JSON.stringify(given[String(path[0])])}: ${message}`,
    )
    throw new ConfigError(`These settings cannot be used:\n${lines.join('\n')}`)
  }
  const values = parsed.data
  return {
    port: values.PORT,
    host: values.HOST,
    databaseUrl: values.DATABASE_URL ?? `sqlite:${values.DATA_DIR}/kontor.sqlite`,
    dataDir: values.DATA_DIR,
    baseUrl: values.BASE_URL?.replace(/\/+$/, ''),
    authUrl: values.AUTH_URL?.replace(/\/+$/, ''),
    outsideIssuer:
      values.OIDC_ISSUER === undefined
        ? undefined
        : outsideIssuer(values.OIDC_ISSUER, values.OIDC_JWKS_URL, values.OIDC_AUDIENCE),
    mail: values.SMTP_URL === undefined ? undefined : { smtpUrl: values.SMTP_URL, from: values.MAIL_FROM },
    rateLimitPerMinute: values.RATE_LIMIT_PER_MINUTE,
    signInsPerMinute: values.SIGN_INS_PER_MINUTE,
    trustedProxies: values.TRUSTED_PROXIES === undefined ? [] : splitList(values.TRUSTED_PROXIES),
    requestsMax: values.REQUESTS_MAX,
    requestTimeoutMs: values.REQUEST_TIMEOUT_MS,
    corsOrigins: values.CORS_ORIGINS === undefined ? [] : splitList(values.CORS_ORIGINS),
    metricsToken: values.METRICS_TOKEN,
    logLevel: values.LOG_LEVEL,
    demo: values.KONTOR_DEMO === '1',
    connectionsMax: values.DATABASE_CONNECTIONS,
    statementTimeoutMs: values.STATEMENT_TIMEOUT_MS,
    fieldIndexThreshold: values.FIELD_INDEX_THRESHOLD,
    misspelled: misspelledSettings(environment, [...Object.keys(variables), ...commandLineVariables]),
  }
}

const outsideIssuer = (issuer: string, jwksUrl: string | undefined, audience: string | undefined) => ({
  issuer,
  jwksUrl: jwksUrl ?? `${issuer.replace(/\/+$/, '')}/.well-known/jwks.json`,
  audience,
})

/** One line for each setting, for `--help` and docs/operation.md. */
export const describeConfig = (): string[] =>
  Object.entries(variables).map(([name, variable]) => {
    const byDefault = variable.safeParse(undefined).data
    return `${name.padEnd(24)}${variable.description ?? ''}${byDefault === undefined ? '' : ` (${byDefault})`}`
  })
