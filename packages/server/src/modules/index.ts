import type { AppContract } from '@kontor/contract'
import type { Modules } from '../kernel/implement.ts'
import { apiKeyHandlers, type KeyAuthenticator } from './api-keys/index.ts'
import { recordHandlers } from './records/index.ts'
import { resourceHandlers } from './resources/index.ts'
import { schemaHandlers } from './schemas/index.ts'
import { userHandlers } from './users/index.ts'
import { workspaceHandlers } from './workspaces/index.ts'

/** Every handler of the contract; a missing domain does not compile. */
export const createModules = (services: { readonly keys: KeyAuthenticator }) =>
  ({
    workspaces: workspaceHandlers,
    users: userHandlers,
    apiKeys: apiKeyHandlers(services.keys),
    schemas: schemaHandlers,
    records: recordHandlers,
    resources: resourceHandlers,
  }) satisfies Modules<AppContract>
