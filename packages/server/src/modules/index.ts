import type { AppContract } from '@kontor/contract'
import type { Modules } from '../kernel/implement.ts'
import { activityHandlers } from './activities/index.ts'
import { apiKeyHandlers, type KeyAuthenticator } from './api-keys/index.ts'
import { commentHandlers } from './comments/index.ts'
import { recordHandlers, type FieldIndexes } from './records/index.ts'
import { resourceHandlers } from './resources/index.ts'
import { schemaHandlers } from './schemas/index.ts'
import { userHandlers } from './users/index.ts'
import { workspaceHandlers } from './workspaces/index.ts'

/** Every handler of the contract; a missing domain does not compile. */
export const createModules = (services: { readonly keys: KeyAuthenticator; readonly indexes: FieldIndexes }) =>
  ({
    workspaces: workspaceHandlers,
    users: userHandlers,
    apiKeys: apiKeyHandlers(services.keys),
    schemas: schemaHandlers,
    records: recordHandlers,
    resources: resourceHandlers(services.indexes),
    comments: commentHandlers,
    activities: activityHandlers,
  }) satisfies Modules<AppContract>
