import { operators } from '@kontor/contract'
import { z } from 'zod'

/** Arguments that several tools accept. They are described briefly: each list of tools costs every model its tokens. */

export const object = z.string().min(1).max(64).meta({ description: 'Object name, such as `person`.' })

export const id = z.string().min(1).max(64).meta({ description: 'Record id.' })

/** Tokens of a response where a caller does not say. */
const tokensDefault = 4000
const tokensMax = 50_000

export const paging = {
  max_tokens: z.int().min(200).max(tokensMax).default(tokensDefault).meta({ description: 'Tokens of the response.' }),
  cursor: z
    .string()
    .max(6000)
    .optional()
    .meta({ description: 'The cursor at the end of an earlier response, to continue it.' }),
}

export const filter = z.looseObject({}).meta({
  description:
    'A condition {"field", "op", "value"}, or a tree {"and": []}, {"or": []}, {"not": {}}. Fields may be dotted ' +
    `(\`company_id.name\`). Operators: ${Object.keys(operators).join(', ')}.`,
})

export const search = z.string().max(200).meta({ description: 'Words that a record must contain.' })

export const attributes = z.record(z.string(), z.unknown()).meta({
  description: 'Values by field. A reference is an id or {"match": {"<unique field>": value}}; null clears.',
})

export const dryRun = z.boolean().default(false).meta({ description: 'Show what would change, and change nothing.' })

export const idempotencyKey = z.string().max(200).optional().meta({
  description: 'Makes sending the same call again safe.',
})

/** The option of an operation for such a key. */
export const underKey = (key: string | undefined) => (key === undefined ? {} : { idempotencyKey: key })

/** Records that one call of a tool writes. */
export const writtenMax = 100

export const sort = z.array(z.strictObject({ column: z.string(), dir: z.enum(['ASC', 'DESC']) })).max(5)
