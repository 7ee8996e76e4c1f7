import { z } from 'zod'
import { trimInvisible } from './visible.ts'
import { exampleIds } from './example-ids.ts'

/** A text in which people see something, kept without what is invisible at its ends. */
export const visibleText = (charactersMax: number) => z.string().overwrite(trimInvisible).min(1).max(charactersMax)

/** The e-mail address of an account, as it is kept. */
export const emailAddress = z.string().overwrite(trimInvisible).check(z.email())

export const id = z.string().min(1).meta({ example: exampleIds.person })
export const timestamp = z.iso.datetime().meta({ description: 'ISO 8601, UTC.', example: '2026-01-31T09:30:00.000Z' })
const instantShape = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?$/

/** A timestamp in a request; without a zone it is one of the workspace's. */
export const localTimestamp = z
  .string()
  .refine((text) => instantShape.test(text), { error: 'must be a time such as 2026-01-31T09:30:00Z' })
  .meta({
    format: 'date-time',
    description: 'ISO 8601; a time without a zone is read in the time zone of the workspace.',
  })
export const empty = z.strictObject({}).meta({ id: 'Empty', description: 'An empty object.' })

export const role = z
  .enum(['admin', 'member', 'viewer'])
  .meta({ description: '`viewer` reads what a `member` may read; `admin` may do everything.', example: 'member' })

/** The levels of access; each includes those before it. */
export const accessLevels = ['view', 'comment', 'edit', 'manage'] as const

export type AccessLevel = (typeof accessLevels)[number]

/** The response of an endpoint that answers without a body. */
export const withoutBody = z.undefined()

/** Spec §1: accepted by every mutation that lists it. */
export const silentQuery = {
  silent: z
    .boolean()
    .optional()
    .meta({ description: 'Suppress in-app and chat notifications of this change. Nothing else is silenced.' }),
}

export const dryRunQuery = {
  dry_run: z
    .boolean()
    .optional()
    .meta({
      description:
        'Checks everything and writes nothing; the response is that of the real call, with `meta.dry_run` ' +
        'and `meta.diff`.',
    }),
}

export const resourceIdentifier = z.object({ type: z.string(), id }).meta({ id: 'ResourceIdentifier' })

/** A body in JSON:API shape, or its attributes alone. `attributesOf` reads either. */
export const wrappedOrBare = <const Type extends string, Attributes extends z.ZodType>(
  type: Type,
  attributes: Attributes,
) =>
  z.union([
    z.strictObject({ data: z.strictObject({ type: z.literal(type), id: id.optional(), attributes }) }),
    attributes,
  ])

/** Returns the attributes of a body, bare or wrapped. */
export const attributesOf = <Attributes extends object>(
  body: Attributes | { readonly data: { readonly attributes: Attributes } },
): Attributes => ('data' in body ? body.data.attributes : body)

/** Comma-separated (or repeated) in a URL, an array everywhere else. */
export const commaList = <T extends z.ZodType>(item: T) => z.array(item)

/** A closed object that tells, where it meets a member that it does not know, which ones it takes. */
export const closed = <S extends z.ZodRawShape>(shape: S, what: string) => {
  const allowed = `${what}: ${Object.keys(shape).join(', ')}.`
  return z.strictObject(shape, { error: ({ code }) => (code === 'unrecognized_keys' ? allowed : undefined) })
}

const entityOfActor = z.string().meta({
  description: '`user`, `api-key` for a key of the workspace, `agent`, or `workflow` for a run of a workflow.',
  example: 'user',
})

/** For whom an agent or a workflow does something. */
export const onBehalfOf = z
  .object({ _id: id, entity: entityOfActor })
  .optional()
  .meta({ description: 'The user or workspace key that an agent or a workflow acted for; absent for other actors.' })

/** The author of a change. */
export const eventActor = z.object({ _id: id, entity: entityOfActor, on_behalf_of: onBehalfOf })

/** Why the server no longer acts for a person or a key. */
export const actingStops = ['owner_left', 'owner_demoted', 'credential_ended'] as const

/** Why a webhook sends nothing. */
export const webhookDisabledReasons = ['requested', 'gone', 'failing', ...actingStops, 'filter_broken'] as const

/** The kinds of bounces: permanent or temporary. */
export const bounceKinds = ['hard', 'soft'] as const

/** Why a workspace does not write to an address. */
export const suppressionReasons = ['manual', 'unsubscribed', 'bounced'] as const

/** A country by its two letters (ISO 3166). */
export const countryCode = z.string().regex(/^[A-Z]{2}$/, 'must be a two-letter country code such as US')
