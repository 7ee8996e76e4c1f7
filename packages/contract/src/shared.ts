import { z } from 'zod'
import { exampleIds } from './example-ids.ts'

export const id = z.string().min(1).meta({ example: exampleIds.person })
export const timestamp = z.iso.datetime().meta({ description: 'ISO 8601, UTC.', example: '2026-01-31T09:30:00.000Z' })
export const empty = z.strictObject({}).meta({ id: 'Empty', description: 'An empty object.' })

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
  dry_run: z.boolean().optional().meta({
    description:
      'Check everything and write nothing; the answer is that of the real call, with `meta.dry_run` and `meta.diff`.',
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

/** What a body says, in whichever of the two shapes it came. */
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
