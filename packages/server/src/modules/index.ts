import type { AppContract } from '@kontor/contract'
import type { Tx } from '../db/tx.ts'
import type { Modules } from '../kernel/implement.ts'
import type { RateLimiter } from '../kernel/rate-limit.ts'
import { accessHandlers, grantsOfRecords, type AccessTargets } from './access/index.ts'
import { activitiesOfRecords, activityHandlers } from './activities/index.ts'
import { asyncTaskHandlers } from './async-tasks/index.ts'
import { apiHandlers } from './api/index.ts'
import { apiKeyHandlers, type KeyAuthenticator } from './identity/api-keys/index.ts'
import { commentHandlers, commentsOfRecords } from './comments/index.ts'
import type { PublicAddresses } from '../lib/public-addresses.ts'
import { workspaceDescriber } from './descriptions/index.ts'
import { invitationHandlers } from './identity/invitations/index.ts'
import { limitHandlers } from './limits/index.ts'
import { entriesOfRecords, followChanges, listHandlers, listJobs, listTargets } from './lists/index.ts'
import type { Mailer } from './mail/index.ts'
import { memberChanges } from './identity/members/index.ts'
import {
  listExpiredWorkspaces,
  purge,
  recordHandlers,
  recordTargets,
  type Dependent,
  type Purged,
  type PurgeOptions,
} from './records/index.ts'
import { recordJobs, type FieldIndexes } from './indexes/index.ts'
import { relationshipHandlers } from './relationships/index.ts'
import { requestHandlers, type FindRequests } from './requests/index.ts'
import { resourceHandlers } from './resources/index.ts'
import { cancelSchemaChange, changeKind, cleanKind, schemaChanges } from './schema-changes/index.ts'
import { schemaHandlers } from './schemas/index.ts'
import { searchHandlers } from './search/index.ts'
import { userHandlers } from './identity/users/index.ts'
import { workspaceHandlers, type Memberships } from './workspaces/index.ts'

/**
 * Dependents of records, which move when records are merged and are deleted when records are purged. A new kind of
 * dependent is added here.
 */
const dependents: readonly Dependent[] = [activitiesOfRecords, commentsOfRecords, grantsOfRecords, entriesOfRecords]

/** What can be shared besides records, by its name in paths. */
const accessTargets: ReadonlyMap<string, AccessTargets> = new Map([['list', listTargets]])

/** Permanently deletes, batch by batch, what was deleted more than 30 days ago. */
export const purging = {
  due: listExpiredWorkspaces,
  batch: (tx: Tx, workspaceId: string, now: number, options?: PurgeOptions): Promise<Purged> =>
    purge(tx, workspaceId, now, dependents, options),
}

/** Creates the job kinds of all modules. */
export const createJobKinds = (services: Parameters<typeof changeKind>[0]) =>
  [...recordJobs, ...listJobs(services), changeKind(services), cleanKind(dependents)] as const

/** Creates the recurring work of the modules. */
export const createRecurring = (services: Parameters<typeof followChanges>[0]) => [followChanges(services)]

type Services = {
  readonly keys: KeyAuthenticator
  readonly indexes: FieldIndexes
  readonly memberships: Memberships
  readonly rateLimiter: RateLimiter | undefined
  readonly findRequests: FindRequests
  readonly addresses: PublicAddresses
  readonly mailer: Mailer | undefined
  readonly onError: (error: unknown) => void
}

/** Creates all handlers of the contract; a missing domain does not compile. */
export const createModules = (services: Services) =>
  ({
    api: apiHandlers,
    workspaces: workspaceHandlers,
    users: userHandlers(memberChanges(services)),
    invitations: invitationHandlers({
      authUrl: services.addresses.authUrl,
      mailer: services.mailer,
      onError: services.onError,
    }),
    apiKeys: apiKeyHandlers(services.keys),
    asyncTasks: asyncTaskHandlers({ schema_modification: cancelSchemaChange(services) }),
    schemas: schemaHandlers(schemaChanges(services), workspaceDescriber(services.addresses)),
    records: recordHandlers(dependents),
    relationships: relationshipHandlers(services.indexes),
    resources: resourceHandlers(services.indexes),
    lists: listHandlers(services.indexes),
    search: searchHandlers(services.indexes),
    comments: commentHandlers,
    access: accessHandlers(
      (object) => accessTargets.get(object) ?? recordTargets,
      () => services.memberships.forget(),
    ),
    activities: activityHandlers,
    limits: limitHandlers(services.rateLimiter),
    requests: requestHandlers(services.findRequests),
  }) satisfies Modules<AppContract>
