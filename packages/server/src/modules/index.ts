import type { AppContract } from '@kontor/contract'
import type { Modules } from '../kernel/implement.ts'
import type { RateLimiter } from '../kernel/rate-limit.ts'
import { activitiesOfRecords, activityHandlers } from './activities/index.ts'
import { apiKeyHandlers, type KeyAuthenticator } from './api-keys/index.ts'
import { commentHandlers, commentsOfRecords } from './comments/index.ts'
import { limitHandlers } from './limits/index.ts'
import { recordHandlers, type Belonging } from './records/index.ts'
import { resourceHandlers } from './resources/index.ts'
import { schemaHandlers } from './schemas/index.ts'
import { userHandlers } from './users/index.ts'
import { workspaceHandlers } from './workspaces/index.ts'

/** What moves when records are merged and goes when they are purged. Whatever else comes to hang on records gets its line here. */
const belongings: readonly Belonging[] = [activitiesOfRecords, commentsOfRecords]

/** Every handler of the contract; a missing domain does not compile. */
export const createModules = (services: { readonly keys: KeyAuthenticator; readonly rateLimiter: RateLimiter | undefined }) =>
  ({
    workspaces: workspaceHandlers,
    users: userHandlers,
    apiKeys: apiKeyHandlers(services.keys),
    schemas: schemaHandlers,
    records: recordHandlers(belongings),
    resources: resourceHandlers,
    comments: commentHandlers,
    activities: activityHandlers,
    limits: limitHandlers(services.rateLimiter),
  }) satisfies Modules<AppContract>
