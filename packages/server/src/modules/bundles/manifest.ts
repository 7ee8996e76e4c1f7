import { z } from 'zod'

/** The name of the format, and its version: a change that older servers would misread raises it. */
export const bundleFormat = 'kontor-workspace'
export const bundleVersion = 1

export const manifestName = 'manifest.json'

/** The name of an entry with the rows of a table, and of one with the bytes of a file. */
export const tableEntry = (name: string): string => `${name}.ndjson`
export const fileEntry = (id: string): string => `files/${id}`

const id = z.uuid()
const time = z.int().min(0).max(8.64e15)
const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const bytes = z.int().min(0)
const count = z.int().min(0)

const content = z.strictObject({ bytes, sha256 })

const text = (max: number) => z.string().min(1).max(max)

/** The contents of a bundle, in the entry `manifest.json`: the last one that is written, and the first that is read. */
export const manifestSchema = z.strictObject({
  format: z.literal(bundleFormat),
  version: z.literal(bundleVersion),
  created_at: time,
  source: z.strictObject({ kontor: text(100), schema: text(200) }),
  workspace: z.strictObject({
    id,
    slug: text(63),
    name: text(200),
    schema_epoch: count,
    created_at: time,
    settings: z.record(z.string().max(200), z.unknown()),
  }),
  members: z.array(
    z.strictObject({
      id,
      email: text(320),
      name: z.string().max(1000).nullable(),
      role: z.enum(['viewer', 'member', 'admin']),
      joined_at: time,
    }),
  ),
  tables: z.array(content.extend({ name: text(100), rows: count })),
  files: z.array(content.extend({ id })),
})

export type Manifest = z.infer<typeof manifestSchema>

/** The members that say which format a file has: of another version nothing else is known. */
export const manifestHead = z.looseObject({ format: z.literal(bundleFormat), version: z.int().min(1) })
