import { resolve } from 'node:path'
import { z } from 'zod'
import { bounded } from './forms.ts'
import { section, setting, type Refuse } from './section.ts'

const isPostgres = (url: string): boolean => /^postgres(ql)?:\/\/.+$/.test(url)

const splitUrls = (text: string): string[] => text.split(/[\s,]+/).filter((url) => url !== '')

const text = z.string().min(1)

/** The setting that commands read which need no other. */
export const dataDir = setting(
  'DATA_DIR',
  text.default('./data'),
  'folder for the embedded database and other local files',
)

const variables = {
  databaseUrl: setting(
    'DATABASE_URL',
    z
      .string()
      .regex(/^(sqlite:.+|postgres(ql)?:\/\/.+)$/, 'must be sqlite:PATH or postgres://…')
      .optional(),
    'sqlite:PATH or postgres://…; by default a SQLite file in DATA_DIR',
  ),
  listenUrl: setting(
    'DATABASE_LISTEN_URL',
    z.string().refine(isPostgres, 'must be postgres://…').optional(),
    'Postgres itself, for notifications, where DATABASE_URL leads to a pooler that shares its connections',
  ),
  readUrls: setting(
    'DATABASE_READ_URL',
    z
      .string()
      .refine(
        (urls) => splitUrls(urls).every(isPostgres),
        'must be postgres://…, several separated by commas or spaces',
      )
      .optional(),
    'standbys of this Postgres that serve lists, searches, exports and includes; several by commas',
    (urls = '') => splitUrls(urls),
  ),
  lagMs: setting(
    'READ_LAG_MS',
    bounded(100, 5000, { tooLarge: 'must be at most 5000, since withdrawn rights must end by then' }).default(1000),
    'greatest age in milliseconds of what a standby may show',
  ),
  connectionsMax: setting('DATABASE_CONNECTIONS', bounded(2, 500).default(10), 'connections to Postgres for each node'),
  fieldIndexThreshold: setting(
    'FIELD_INDEX_THRESHOLD',
    bounded(0).default(20_000),
    'number of records above which the sorted and filtered fields of an object are indexed',
  ),
  statementTimeoutMs: setting(
    'STATEMENT_TIMEOUT_MS',
    bounded(100, 600_000).default(10_000),
    'maximum duration of one query',
  ),
  dataDir,
  filesDir: setting('FILES_DIR', text.optional(), 'folder for the files that people upload; by default DATA_DIR/files'),
  bytesMax: setting(
    'FILE_BYTES_MAX',
    bounded(1, 5 * 1024 ** 3, { tooLarge: 'must be at most 5 GiB, the limit of S3' }).default(2 * 1024 ** 3),
    'maximum size of one file, in bytes',
  ),
  bucket: setting('S3_BUCKET', text.optional(), 'bucket for files, instead of FILES_DIR'),
  region: setting('S3_REGION', text.default('us-east-1'), 'region of the bucket'),
  endpoint: setting(
    'S3_ENDPOINT',
    z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).optional(),
    'endpoint of the S3 service, if it is not Amazon',
  ),
  accessKeyId: setting(
    'S3_ACCESS_KEY_ID',
    text.optional(),
    'access key for the bucket; by default what the AWS SDK finds',
  ),
  secretAccessKey: setting('S3_SECRET_ACCESS_KEY', text.optional(), 'secret of the access key'),
}

type S3Settings = {
  readonly bucket: string
  readonly region: string
  readonly endpoint: string | undefined
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined
}

/** Where the bytes of files are kept, and how many a file may have. */
type FileSettings = { readonly folder: string; readonly bytesMax: number; readonly s3?: S3Settings | undefined }

type S3Values = {
  readonly [Name in 'bucket' | 'region' | 'endpoint' | 'accessKeyId' | 'secretAccessKey']: string | undefined
}

function s3Of({ bucket, region = '', endpoint, accessKeyId, secretAccessKey }: S3Values): S3Settings | undefined {
  if (bucket === undefined) return undefined
  const isKnown = accessKeyId !== undefined && secretAccessKey !== undefined
  return { bucket, region, endpoint, credentials: isKnown ? { accessKeyId, secretAccessKey } : undefined }
}

/** Settings of the database, its standbys, and the files. */
export const storageSettings = section(
  variables,
  ({ readUrls: urls, lagMs, filesDir, bytesMax, ...values }, refuse: Refuse) => {
    const { dataDir: folder, databaseUrl = `sqlite:${folder}/kontor.sqlite` } = values
    if (urls.length > 0 && databaseUrl.startsWith('sqlite:'))
      refuse(
        'DATABASE_READ_URL needs Postgres, whose standbys it names: SQLite has none. Remove it, or set DATABASE_URL ' +
          'to their primary.',
      )
    if (values.listenUrl !== undefined && databaseUrl.startsWith('sqlite:'))
      refuse('DATABASE_LISTEN_URL needs Postgres: SQLite has no poolers. Remove it, or set DATABASE_URL.')
    const files: FileSettings = { folder: resolve(filesDir ?? `${folder}/files`), bytesMax, s3: s3Of(values) }
    const { listenUrl, connectionsMax, fieldIndexThreshold, statementTimeoutMs } = values
    return {
      dataDir: folder,
      databaseUrl,
      listenUrl,
      replicas: { urls, lagMs },
      connectionsMax,
      fieldIndexThreshold,
      statementTimeoutMs,
      files,
    }
  },
)
