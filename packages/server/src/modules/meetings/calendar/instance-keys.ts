import type { InstanceName } from './reading/calendar.ts'

/** Returns the key of an instance, the same each time that a calendar is read. */
export const keyOfInstance = (uid: string, original: number): string => `${uid}/${new Date(original).toISOString()}`

/** Returns the original that a name means, among those that are known; undefined where it means none of them. */
export const originalNamed = ({ originals, day }: InstanceName, known: ReadonlySet<number>): number | undefined =>
  originals.find((original) => known.has(original)) ??
  (day === null ? undefined : [...known].find((original) => original >= day[0] && original < day[1]))
