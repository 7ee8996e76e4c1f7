import { migration as fold } from './0001-fold.ts'
import { migration as workspaces } from './0002-workspaces.ts'
import { migration as records } from './0003-records.ts'
import { migration as flow } from './0004-flow.ts'
import { migration as activities } from './0005-activities.ts'
import { migration as recovery } from './0006-recovery.ts'
import { migration as jobs } from './0007-jobs.ts'
import { migration as fieldIndex } from './0008-field-index.ts'
import { migration as horizons } from './0009-horizons.ts'
import { migration as linksBack } from './0010-links-back.ts'
import { migration as schemas } from './0011-schemas.ts'
import { migration as oneBarrier } from './0012-one-barrier.ts'
import { migration as linkCounts } from './0013-link-counts.ts'
import { migration as search } from './0014-search.ts'
import { migration as access } from './0015-access.ts'
import { migration as lists } from './0016-lists.ts'
import { migration as signIn } from './0017-sign-in.ts'
import { migration as oauth } from './0018-oauth.ts'
import { migration as gramTimes } from './0019-gram-times.ts'
import { migration as identity } from './0020-identity.ts'
import { migration as schemaQueue } from './0021-schema-queue.ts'
import { migration as mergedOwners } from './0022-merged-owners.ts'
import { migration as visibility } from './0023-visibility.ts'
import { migration as recordOrder } from './0024-record-order.ts'
import type { Migration } from './words.ts'

/** In order; the number of a migration is its place, from 1. One that has been released is never edited. */
export const migrations: readonly Migration[] = [
  fold,
  workspaces,
  records,
  flow,
  activities,
  recovery,
  jobs,
  fieldIndex,
  horizons,
  linksBack,
  schemas,
  oneBarrier,
  linkCounts,
  search,
  access,
  lists,
  signIn,
  oauth,
  gramTimes,
  identity,
  schemaQueue,
  mergedOwners,
  visibility,
  recordOrder,
]
