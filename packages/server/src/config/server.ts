import { z } from 'zod'
import {
  flagSchema,
  keysSchema,
  networksSchema,
  originsSchema,
  portSchema,
  splitList,
  urlSchema,
  withoutSlash,
} from './forms.ts'
import { section, setting } from './section.ts'

/** Settings of a server and its addresses, and of what it runs. */
export const serverSettings = section({
  port: setting('PORT', portSchema.default(4000), 'port to listen on; 0 chooses a free one'),
  host: setting('HOST', z.string().min(1).default('127.0.0.1'), 'address to listen on'),
  /** Undefined until the port is known, if it derives from the port. */
  baseUrl: setting(
    'BASE_URL',
    urlSchema.regex(/\/v1\/?$/, 'must end in /v1, the version of the API').optional(),
    'public address of the API, with its /v1; by default from HOST and PORT',
    withoutSlash,
  ),
  authUrl: setting(
    'AUTH_URL',
    urlSchema.optional(),
    'public address of sign-in; by default the origin of BASE_URL',
    withoutSlash,
  ),
  trustedProxies: setting('TRUSTED_PROXIES', networksSchema, 'proxies whose X-Forwarded-For is trusted', splitList),
  corsOrigins: setting('CORS_ORIGINS', originsSchema, 'origins whose pages may call, comma-separated, or *', splitList),
  /** The newest first; none where the one in `DATA_DIR` is meant. */
  encryptionKeys: setting(
    'ENCRYPTION_KEYS',
    keysSchema,
    'keys that secrets are encrypted with, the newest first; by default one in DATA_DIR',
    splitList,
  ),
  metricsToken: setting(
    'METRICS_TOKEN',
    z.string().min(16, 'must have at least 16 characters').optional(),
    'opens /metrics to other machines: Authorization: Bearer METRICS_TOKEN',
  ),
  logLevel: setting(
    'LOG_LEVEL',
    z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
    'least level that is logged',
  ),
  demo: setting(
    'KONTOR_DEMO',
    flagSchema.default('1'),
    '1 puts sample data into an empty database',
    (value) => value === '1',
  ),
  /** True if the server runs jobs; a worker always does. */
  jobs: setting(
    'KONTOR_JOBS',
    flagSchema.default('1'),
    '0: this server runs no jobs; "kontor worker" runs them, on the same Postgres',
    (value) => value === '1',
  ),
  /** Undefined where a worker does not listen. */
  workerPort: setting(
    'WORKER_PORT',
    portSchema.optional(),
    'port of a worker for /healthz, /readyz and /metrics; without it, none',
  ),
})
