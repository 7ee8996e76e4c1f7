import { z } from 'zod'

/** Settings of the replicas of the database. */
export type ReplicaSettings = { readonly urls: readonly string[]; readonly lagMs: number }

const splitUrls = (text: string): string[] => text.split(/[\s,]+/).filter((url) => url !== '')

const isPostgres = (url: string): boolean => /^postgres(ql)?:\/\/.+$/.test(url)

/** Settings of the ways to Postgres besides DATABASE_URL. */
export const connectionVariables = {
  DATABASE_LISTEN_URL: z
    .string()
    .refine(isPostgres, 'must be postgres://…')
    .optional()
    .describe('Postgres itself, for notifications, where DATABASE_URL leads to a pooler that shares its connections'),
  DATABASE_READ_URL: z
    .string()
    .refine((text) => splitUrls(text).every(isPostgres), 'must be postgres://…, several separated by commas or spaces')
    .optional()
    .describe('standbys of this Postgres that serve lists, searches, exports and includes; several by commas'),
  READ_LAG_MS: z.coerce
    .number('must be a number')
    .int('must be a whole number')
    .min(100, 'must be from 100 on')
    .max(5000, 'must be at most 5000, since withdrawn rights must end by then')
    .default(1000)
    .describe('greatest age in milliseconds of what a standby may show'),
} as const

type Values = { readonly DATABASE_READ_URL?: string | undefined; readonly READ_LAG_MS: number }

/** Reads the address for notifications; `refuse` throws where the database has none. */
export function readListenUrl(
  { DATABASE_LISTEN_URL: url }: { readonly DATABASE_LISTEN_URL?: string | undefined },
  databaseUrl: string,
  refuse: (text: string) => never,
): string | undefined {
  if (url !== undefined && databaseUrl.startsWith('sqlite:'))
    refuse('DATABASE_LISTEN_URL needs Postgres: SQLite has no poolers. Remove it, or set DATABASE_URL.')
  return url
}

/** Reads the settings of replicas; `refuse` throws where the database can have none. */
export function readReplicas(values: Values, databaseUrl: string, refuse: (text: string) => never): ReplicaSettings {
  const urls = splitUrls(values.DATABASE_READ_URL ?? '')
  if (urls.length > 0 && databaseUrl.startsWith('sqlite:'))
    refuse(
      'DATABASE_READ_URL needs Postgres, whose standbys it names: SQLite has none. Remove it, or set DATABASE_URL to ' +
        'their primary.',
    )
  return { urls, lagMs: values.READ_LAG_MS }
}
