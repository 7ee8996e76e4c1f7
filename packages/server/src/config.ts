import { resolve } from 'node:path'
import { z } from 'zod'
import { isNetwork, minutes, originsSchema, portSchema, splitList } from './lib/setting-forms.ts'
import { isAllowedTarget } from './lib/outbound/addresses.ts'
import { limitVariables, readLimits, type ServerLimits } from './limit-settings.ts'
import { misspelledSettings, type Misspelled } from './lib/misspelled.ts'
import { providerVariables, readProviders, type SignInProvider } from './lib/sign-in-providers.ts'
import { isSigningKey, shownSetting } from './lib/setting-values.ts'
import { connectionVariables, readListenUrl, readReplicas, type ReplicaSettings } from './connection-settings.ts'

export { explainMisspelled } from './lib/misspelled.ts'
export { findRunningServer } from './lib/running-server.ts'

/** The environment variables that Kontor reads, with their meaning; `kontor serve --help` prints this table. */
const variables = {
  PORT: portSchema.default(4000).describe('port to listen on; 0 chooses a free one'),
  HOST: z.string().min(1).default('127.0.0.1').describe('address to listen on'),
  DATABASE_URL: z
    .string()
    .regex(/^(sqlite:.+|postgres(ql)?:\/\/.+)$/, 'must be sqlite:PATH or postgres://…')
    .optional()
    .describe('sqlite:PATH or postgres://…; by default a SQLite file in DATA_DIR'),
  ...connectionVariables,
  DATA_DIR: z.string().min(1).default('./data').describe('folder for the embedded database and other local files'),
  FILES_DIR: z
    .string()
    .min(1)
    .optional()
    .describe('folder for the files that people upload; by default DATA_DIR/files'),
  FILE_BYTES_MAX: z.coerce
    .number('must be a number')
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .max(5 * 1024 ** 3, 'must be at most 5 GiB, the limit of S3')
    .default(2 * 1024 ** 3)
    .describe('maximum size of one file, in bytes'),
  S3_BUCKET: z.string().min(1).optional().describe('bucket for files, instead of FILES_DIR'),
  S3_REGION: z.string().min(1).default('us-east-1').describe('region of the bucket'),
  S3_ENDPOINT: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
    .optional()
    .describe('endpoint of the S3 service, if it is not Amazon'),
  S3_ACCESS_KEY_ID: z
    .string()
    .min(1)
    .optional()
    .describe('access key for the bucket; by default what the AWS SDK finds'),
  S3_SECRET_ACCESS_KEY: z.string().min(1).optional().describe('secret of the access key'),
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
  OIDC_JWKS_URL: z
    .url()
    .optional()
    .describe('URL of the keys of OIDC_ISSUER; by default OIDC_ISSUER/.well-known/jwks.json'),
  OIDC_AUDIENCE: z.string().min(1).optional().describe('audience of its tokens; required with OIDC_ISSUER'),
  ...providerVariables,
  SMTP_URL: z
    .url({
      protocol: /^smtps?$/,
      error: 'must be an smtp: or smtps: URL, such as smtps://user:password@mail.example.com',
    })
    .optional()
    .describe('mail server for invitations and passwords; without it their links are returned or logged'),
  MAIL_FROM: z.string().min(3).default('Kontor <kontor@localhost>').describe('sender of e-mail'),
  MAIL_REPLY_TO: z
    .string()
    .regex(/^[\w.-]{1,11}@[\w.-]+\.[a-z]{2,}$/i, 'must be an address with at most 11 characters before the @')
    .optional()
    .describe('address for replies and bounces, with +TOKEN before the @; by default the sender'),
  DKIM_PRIVATE_KEY: z
    .string()
    .transform((key) => key.replaceAll(String.raw`\n`, '\n'))
    .refine(isSigningKey, 'must be an RSA key of at least 1024 bits in PEM form, without a passphrase')
    .optional()
    .describe('signs e-mail by DKIM: a private key in PEM form, with \\n for its line breaks'),
  DKIM_SELECTOR: z
    .string()
    .regex(/^[\w.-]+$/, 'must be a name')
    .default('kontor')
    .describe('the public key is in the DNS at DKIM_SELECTOR._domainkey.DKIM_DOMAIN'),
  DKIM_DOMAIN: z
    .string()
    .regex(/^[\w.-]+$/, 'must be a domain')
    .optional()
    .describe('domain that vouches for e-mail; by default that of MAIL_FROM'),
  WORKFLOW_EMAILS_PER_DAY: minutes
    .default(2000)
    .describe('recipients that plain workflows may e-mail in a day; 0 removes the limit'),
  AI_BASE_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL, such as https://api.openai.com/v1' })
    .optional()
    .describe('language model of workflows and agents: an endpoint for chat completions; by default none'),
  AI_API_KEY: z.string().min(1).optional().describe('its key'),
  AI_MODEL: z.string().min(1).optional().describe('model of workflows and agents that name none'),
  NOTETAKER_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
    .optional()
    .describe('notetaker that receives the meetings to record; without it requests are only stored'),
  NOTETAKER_SECRET: z
    .string()
    .regex(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/, 'must be whsec_ and at least 24 bytes in base64')
    .optional()
    .describe('signs its requests (Standard Webhooks)'),
  RATE_LIMIT_PER_MINUTE: minutes
    .default(3000)
    .describe('requests a minute for each workspace and endpoint, over all servers; 0 removes the limit'),
  SIGN_INS_PER_MINUTE: minutes
    .default(10)
    .describe('sign-in attempts a minute from each IP address; 0 removes the limit'),
  OAUTH_REGISTRATIONS_PER_HOUR: minutes
    .default(0)
    .describe('apps that can register themselves in an hour from each IP address; 0 allows none'),
  TRUSTED_PROXIES: z
    .string()
    .refine(
      (text) => splitList(text).every(isNetwork),
      'must be addresses, networks such as 10.0.0.0/8, or loopback, linklocal, uniquelocal, separated by commas',
    )
    .optional()
    .describe('proxies whose X-Forwarded-For is trusted'),
  POOL_PROCESSES: z.coerce
    .number('must be a number')
    .int('must be a whole number')
    .min(2, 'must be at least 2, so that one workspace never uses all of them')
    .max(64, 'must be at most 64')
    .default(3)
    .describe('processes for untrusted input (code, calendars, e-mail) in each server and worker'),
  ...limitVariables,
  CORS_ORIGINS: originsSchema.optional().describe('origins whose pages may call, comma-separated, or *'),
  WEBHOOK_ALLOWED_HOSTS: z
    .string()
    .refine(
      (text) => splitList(text).every(isAllowedTarget),
      'must be hosts, host:port or networks such as 10.0.0.0/8, separated by commas',
    )
    .optional()
    .describe('private targets that webhooks and workflows may call: host, host:port, 10.0.0.0/8'),
  ENCRYPTION_KEYS: z
    .string()
    .refine(
      (text) => splitList(text).every((key) => key.length >= 32),
      'must be keys of at least 32 characters, separated by commas',
    )
    .optional()
    .describe('keys that secrets are encrypted with, the newest first; by default one in DATA_DIR'),
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
  KONTOR_JOBS: z
    .enum(['0', '1'])
    .default('1')
    .describe('0: this server runs no jobs; "kontor worker" runs them, on the same Postgres'),
  WORKER_PORT: portSchema.optional().describe('port of a worker for /healthz, /readyz and /metrics; without it, none'),
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
    .min(0, 'must be at least 0')
    .default(20_000)
    .describe('number of records above which the sorted and filtered fields of an object are indexed'),
  STATEMENT_TIMEOUT_MS: z.coerce
    .number()
    .int()
    .min(100)
    .max(600_000)
    .default(10_000)
    .describe('maximum duration of one query'),
} as const

const schema = z.object(variables)

/** Variables that the command line reads through its options. */
const cliVariables = ['KONTOR_BASE_URL', 'KONTOR_API_KEY', 'KONTOR_ACCESS_TOKEN', 'KONTOR_LOGINS', 'KONTOR_WORKSPACE']

/** The folder for local files, for commands that need no other setting. */
export const readDataDir = (environment: NodeJS.ProcessEnv = process.env): string =>
  environment['DATA_DIR'] || variables.DATA_DIR.parse(undefined)

type FileSettings = {
  readonly folder: string
  readonly bytesMax: number
  readonly s3: S3Settings | undefined
}

type S3Settings = {
  readonly bucket: string
  readonly region: string
  readonly endpoint: string | undefined
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined
}

type MailConfig = {
  readonly smtpUrl: string
  readonly from: string
  readonly dkim: { readonly domain: string; readonly selector: string; readonly privateKey: string } | undefined
}

type AiConfig = { readonly baseUrl: string; readonly apiKey: string | undefined; readonly model: string | undefined }

export type Config = ServerLimits & {
  readonly port: number
  readonly host: string
  readonly databaseUrl: string
  /** Address for notifications, where `databaseUrl` leads to a pooler that shares connections. */
  readonly listenUrl: string | undefined
  readonly replicas: ReplicaSettings
  readonly dataDir: string
  /** Where the bytes of files are kept, and how many a file may have. */
  readonly files: FileSettings
  /** Undefined until the port is known, if it derives from the port. */
  readonly baseUrl: string | undefined
  readonly authUrl: string | undefined
  readonly outsideIssuer: { readonly issuer: string; readonly jwksUrl: string; readonly audience: string } | undefined
  /** Other providers by which people sign in. */
  readonly signInProviders: readonly SignInProvider[]
  readonly mail: MailConfig | undefined
  /** The sender of letters, whether they are sent or kept. */
  readonly mailFrom: string
  readonly mailReplyTo: string | undefined
  readonly workflowEmailsPerDay: number
  readonly ai: AiConfig | undefined
  readonly notetaker: { readonly url: string; readonly secret: string } | undefined
  readonly rateLimitPerMinute: number
  readonly signInsPerMinute: number
  /** Apps that may register themselves, from each address; 0 is none. */
  readonly oauthRegistrationsPerHour: number
  readonly trustedProxies: readonly string[]
  readonly poolProcesses: number
  /** `*` for any. */
  readonly corsOrigins: readonly string[]
  /** Hosts, `host:port` and networks that are not public, and that webhooks and workflows may call all the same. */
  readonly webhookAllowedHosts: readonly string[]
  /** The newest first; none where the one in `DATA_DIR` is meant. */
  readonly encryptionKeys: readonly string[]
  readonly metricsToken: string | undefined
  readonly logLevel: z.infer<typeof variables.LOG_LEVEL>
  readonly demo: boolean
  /** True if the server runs jobs; a worker always does. */
  readonly jobs: boolean
  /** Undefined where a worker does not listen. */
  readonly workerPort: number | undefined
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

const refuse = (text: string): never => {
  throw new ConfigError(text)
}

/** Reads the settings; the only reader of the environment. An empty variable counts as absent. */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const given = Object.fromEntries(
    Object.keys(variables).flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])),
  )
  const parsed = schema.safeParse(given)
  if (!parsed.success) {
    const lines = parsed.error.issues.map(
      ({ path, message }) => `  ${shownSetting(String(path[0]), given[String(path[0])])}: ${message}`,
    )
    throw new ConfigError(`These settings are not valid:\n${lines.join('\n')}`)
  }
  const values = parsed.data
  const databaseUrl = values.DATABASE_URL ?? `sqlite:${values.DATA_DIR}/kontor.sqlite`
  const jobs = values.KONTOR_JOBS === '1'
  if (!jobs && databaseUrl.startsWith('sqlite:'))
    throw new ConfigError('KONTOR_JOBS=0 requires Postgres: on SQLite only the server can run the jobs.')
  return {
    port: values.PORT,
    host: values.HOST,
    databaseUrl,
    listenUrl: readListenUrl(values, databaseUrl, refuse),
    replicas: readReplicas(values, databaseUrl, refuse),
    dataDir: values.DATA_DIR,
    files: fileSettings(values),
    baseUrl: values.BASE_URL?.replace(/\/+$/, ''),
    authUrl: values.AUTH_URL?.replace(/\/+$/, ''),
    outsideIssuer: outsideIssuer(values),
    signInProviders: readProviders(values, (first, missing) => {
      throw new ConfigError(`${first} also requires ${missing.join(' and ')}.`)
    }),
    mail: mailConfig(values),
    mailFrom: values.MAIL_FROM,
    mailReplyTo: values.MAIL_REPLY_TO,
    workflowEmailsPerDay: values.WORKFLOW_EMAILS_PER_DAY,
    ai:
      values.AI_BASE_URL === undefined
        ? undefined
        : { baseUrl: values.AI_BASE_URL.replace(/\/+$/, ''), apiKey: values.AI_API_KEY, model: values.AI_MODEL },
    notetaker: notetakerConfig(values),
    rateLimitPerMinute: values.RATE_LIMIT_PER_MINUTE,
    signInsPerMinute: values.SIGN_INS_PER_MINUTE,
    oauthRegistrationsPerHour: values.OAUTH_REGISTRATIONS_PER_HOUR,
    trustedProxies: values.TRUSTED_PROXIES === undefined ? [] : splitList(values.TRUSTED_PROXIES),
    poolProcesses: values.POOL_PROCESSES,
    ...readLimits(values),
    corsOrigins: values.CORS_ORIGINS === undefined ? [] : splitList(values.CORS_ORIGINS),
    webhookAllowedHosts: values.WEBHOOK_ALLOWED_HOSTS === undefined ? [] : splitList(values.WEBHOOK_ALLOWED_HOSTS),
    encryptionKeys: values.ENCRYPTION_KEYS === undefined ? [] : splitList(values.ENCRYPTION_KEYS),
    metricsToken: values.METRICS_TOKEN,
    logLevel: values.LOG_LEVEL,
    demo: values.KONTOR_DEMO === '1',
    jobs,
    workerPort: values.WORKER_PORT,
    connectionsMax: values.DATABASE_CONNECTIONS,
    statementTimeoutMs: values.STATEMENT_TIMEOUT_MS,
    fieldIndexThreshold: values.FIELD_INDEX_THRESHOLD,
    misspelled: misspelledSettings(environment, [...Object.keys(variables), ...cliVariables]),
  }
}

const fileSettings = (values: z.infer<typeof schema>): FileSettings => ({
  folder: resolve(values.FILES_DIR ?? `${values.DATA_DIR}/files`),
  bytesMax: values.FILE_BYTES_MAX,
  s3:
    values.S3_BUCKET === undefined
      ? undefined
      : {
          bucket: values.S3_BUCKET,
          region: values.S3_REGION,
          endpoint: values.S3_ENDPOINT,
          credentials:
            values.S3_ACCESS_KEY_ID === undefined || values.S3_SECRET_ACCESS_KEY === undefined
              ? undefined
              : { accessKeyId: values.S3_ACCESS_KEY_ID, secretAccessKey: values.S3_SECRET_ACCESS_KEY },
        },
})

function mailConfig({
  SMTP_URL: smtpUrl,
  MAIL_FROM: from,
  DKIM_PRIVATE_KEY: privateKey,
  DKIM_SELECTOR: selector,
  DKIM_DOMAIN: domain = /@([^@>\s]+)>?\s*$/.exec(from)?.[1] ?? 'localhost',
}: z.infer<typeof schema>): MailConfig | undefined {
  if (smtpUrl === undefined) return undefined
  return { smtpUrl, from, dkim: privateKey === undefined ? undefined : { domain, selector, privateKey } }
}

function notetakerConfig({ NOTETAKER_URL: url, NOTETAKER_SECRET: secret }: z.infer<typeof schema>) {
  if (url === undefined) return undefined
  if (secret === undefined) throw new ConfigError('NOTETAKER_URL requires NOTETAKER_SECRET, which signs its requests.')
  return { url, secret }
}

function outsideIssuer(values: z.infer<typeof schema>): Config['outsideIssuer'] {
  const { OIDC_ISSUER: issuer, OIDC_AUDIENCE: audience, OIDC_JWKS_URL: jwksUrl } = values
  if (issuer === undefined) return undefined
  if (audience === undefined)
    throw new ConfigError(
      'OIDC_ISSUER requires OIDC_AUDIENCE, the audience of tokens for this API: without it, tokens for other ' +
        'applications would be accepted.',
    )
  return { issuer, audience, jwksUrl: jwksUrl ?? `${issuer.replace(/\/+$/, '')}/.well-known/jwks.json` }
}

/** One line for each setting, for `--help` and the guide to operation. */
export const describeConfig = (): string[] => {
  const width = Math.max(...Object.keys(variables).map((name) => name.length)) + 1
  return Object.entries(variables).map(([name, variable]) => {
    const byDefault = variable.safeParse(undefined).data
    return `${name.padEnd(width)}${variable.description ?? ''}${byDefault === undefined ? '' : ` (${byDefault})`}`
  })
}
