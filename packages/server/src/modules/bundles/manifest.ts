import {
  adminSettings,
  emailAddress,
  role,
  settingDefinitions,
  settingKeys,
  visibleText,
  workspaceSlug,
} from '@kontor/contract'
import { z } from 'zod'
import { isId } from '../../kernel/ids.ts'
import { emailKey } from '../identity/users/index.ts'

/** The name of the format, and its version: a change that older servers would misread raises it. */
export const bundleFormat = 'kontor-workspace'
export const bundleVersion = 1

export const manifestName = 'manifest.json'

/** The name of an entry with the rows of a table, and of one with the bytes of a file. */
export const tableEntry = (name: string): string => `${name}.ndjson`
export const fileEntry = (id: string): string => `files/${id}`

/** A workspace has such a slug while it is being restored, and no other time. */
export const unfinishedPrefix = 'restoring-'

const id = z.string().refine(isId, 'must be an id')
const time = z.int().min(0).max(8.64e15)
const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const bytes = z.int().min(0)
const count = z.int().min(0)

const content = z.strictObject({ bytes, sha256 })

const text = (max: number) => z.string().min(1).max(max)

/** The settings that a bundle has: none that only admins see. */
const settings: z.ZodType<Record<string, unknown>> = z.strictObject(
  Object.fromEntries(
    settingKeys.filter((key) => !adminSettings.has(key)).map((key) => [key, settingDefinitions[key].value.optional()]),
  ),
)

const member = z.strictObject({
  id,
  email: emailAddress.max(320),
  name: z.string().max(1000).nullable(),
  role,
  joined_at: time,
})

/** Returns whether each member has an id and an address of their own. */
const areApart = (members: readonly z.infer<typeof member>[]): boolean =>
  [members.map((one) => one.id), members.map(({ email }) => emailKey(email))].every(
    (names) => new Set(names).size === names.length,
  )

/** The contents of a bundle, in the entry `manifest.json`: the last one that is written, and the first that is read. */
export const manifestSchema = z.strictObject({
  format: z.literal(bundleFormat),
  version: z.literal(bundleVersion),
  created_at: time,
  source: z.strictObject({ kontor: text(100), schema: text(200) }),
  workspace: z.strictObject({
    id,
    slug: workspaceSlug.refine((slug) => !slug.startsWith(unfinishedPrefix), `must not begin with ${unfinishedPrefix}`),
    name: visibleText(200),
    schema_epoch: count,
    created_at: time,
    settings,
  }),
  members: z.array(member).refine(areApart, 'must have an id and an e-mail address of their own'),
  tables: z.array(content.extend({ name: text(100), rows: count })),
  files: z.array(content.extend({ id })),
})

export type Manifest = z.infer<typeof manifestSchema>

/** The members that say which format a file has: of another version nothing else is known. */
export const manifestHead = z.looseObject({ format: z.literal(bundleFormat), version: z.int().min(1) })
