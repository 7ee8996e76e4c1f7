/** The examples that run by themselves on any database. */
export const walks = [
  'first-steps.ts',
  'sales-operations.ts',
  'committees/walk.ts',
  'committees/sharing.ts',
  'meetings/walk.ts',
  'agent/walk.ts',
  'campaigns/walk.ts',
  'automation/walk.ts',
  'schema-as-code/walk.ts',
  'moving-in/walk.ts',
] as const
