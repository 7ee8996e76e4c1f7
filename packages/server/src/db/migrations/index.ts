import { migration as baseline } from './0001-baseline.ts'
import { migration as providerIdentities } from './0127-provider-identities.ts'
import { migration as linkedRecordsOfImports } from './0129-linked-records-of-imports.ts'
import { migration as exports } from './0131-exports.ts'
import { migration as feedEnds } from './0137-feed-ends.ts'
import { migration as indexEpochs } from './0138-index-epochs.ts'
import { migration as changesOnce } from './0145-changes-once.ts'
import { migration as listsWithoutAJob } from './0155-lists-without-a-job.ts'
import { migration as rollingUpgrades } from './0156-rolling-upgrades.ts'
import { migration as changedDocuments } from './0160-changed-documents.ts'
import { migration as oneEpoch } from './0165-one-epoch.ts'
import { migration as unindexedDocuments } from './0170-unindexed-documents.ts'
import type { Migration } from './words.ts'

/** In order; the number of a migration is its place, from 1. One that has been released is never edited. */
export const migrations: readonly Migration[] = [
  baseline,
  providerIdentities,
  linkedRecordsOfImports,
  exports,
  feedEnds,
  indexEpochs,
  changesOnce,
  listsWithoutAJob,
  rollingUpgrades,
  changedDocuments,
  oneEpoch,
  unindexedDocuments,
]

/** The number of the last migration that this process knows. */
export const knownMigrations = migrations.length
