import { z } from 'zod'

/** Relationships in an include: paths, and steps of a path. */
export const includePathsMax = 50
export const includeDepthMax = 3
/** Records of one to-many relationship that an include holds, and records in all. */
export const includedOfOneMax = 100
export const includedMax = 10_000

export const includeQuery = {
  include: z
    .array(z.string().min(1).max(300))
    .max(includePathsMax)
    .optional()
    .meta({
      description:
        `Relationships to include, up to ${includePathsMax} paths with dots for depth, up to ` +
        `${includeDepthMax} deep.`,
      example: ['company_id', 'deals.company_id'],
    }),
}

export const fieldsQuery = {
  fields: z
    .record(z.string().min(1).max(100), z.array(z.string().min(1).max(200)).max(500))
    .optional()
    .meta({
      description:
        'The attributes to return, by object, for example `fields[person]=name,job_title`. System ' +
        'attributes are always returned.',
    }),
}
