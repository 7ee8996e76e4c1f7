import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { Database } from '../db/tx.ts'
import type { Clock } from '../kernel/clock.ts'
import type { FollowerLimits } from '../modules/event-feed/index.ts'

/** Settings that an app has to be given; without others it does without what they are for. */
type Required = Pick<Config, 'rateLimitPerMinute' | 'fieldIndexThreshold' | 'files' | 'encryptionKeys'>

export type AppOptions = Partial<Omit<Config, keyof Required | 'streams' | 'baseUrl' | 'authUrl'>> &
  Required & {
    readonly database: Database
    readonly clock: Clock
    readonly logger: Logger
    /** Public address of the API, with `/v1`. */
    readonly baseUrl: string
    readonly authUrl: string
    /** The limits of followers of events in this process; by default those of the settings. */
    readonly streams?: Partial<FollowerLimits> | undefined
    /** The id of what is created next, if it is to have a certain one. */
    readonly nextId?: (() => string | undefined) | undefined
    /** The kinds of jobs and of recurring work that its runner does; by default all. */
    readonly onlyJobs?: readonly string[] | undefined
    /** Compares every answer with the contract; for tests and development. */
    readonly checkAnswers?: boolean
  }
