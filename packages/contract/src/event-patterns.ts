import { z } from 'zod'
import { eventTypes } from './event-types.ts'
import { suggestion } from './nearest.ts'

/** Returns whether a pattern matches an event: a type, all of a kind (`record.*`), or `*` for all. */
export const matchesEvent = (pattern: string, type: string): boolean =>
  pattern === '*' || pattern === type || (pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1)))

/** Suggests what a pattern that matches no event may mean: records of every object have the same events. */
function meant(pattern: string): string {
  const [object = '', ...verb] = pattern.split('.')
  const near = suggestion(pattern, eventTypes)
  const type = `record.${verb.join('.')}`
  return near === '' && eventTypes.some((known) => matchesEvent(type, known))
    ? ` For records of one object, send "${type}" with the filter {"object": "${object.slice(0, 64)}"}.`
    : near
}

/** A type of event, all of a kind, or all. */
export const eventPattern = z
  .string()
  .max(100)
  .refine((pattern) => eventTypes.some((type) => matchesEvent(pattern, type)), {
    error: ({ input }) => `Must be an event type such as record.updated, or record.*, or *.${meant(String(input))}`,
  })
