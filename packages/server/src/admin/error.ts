import type { z } from 'zod'

/** A request that cannot be carried out; the message is for the person at the command line. */
export class AdminError extends Error {
  override readonly name = 'AdminError'
}

/** Returns the value if it is valid; the fault names it by `what`. */
export function checked<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new AdminError(
    `${what} cannot be ${JSON.stringify(value)}: ${parsed.error.issues.map(({ message }) => message).join('; ')}`,
  )
}
