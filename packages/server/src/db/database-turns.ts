import { FairTurns, type FairTurnsOptions } from '../lib/fair-turns.ts'
import { DatabaseCrowded, DatabaseOverloaded } from './errors.ts'

/** Turns for work of the database: work that gets none is answered as an overloaded database is. */
export const databaseTurns = (options: Omit<FairTurnsOptions, 'refusals'>): FairTurns =>
  new FairTurns({
    ...options,
    refusals: {
      crowded: (message) => new DatabaseCrowded(message),
      late: (message) => new DatabaseOverloaded(message),
    },
  })
