/** Roles as people read them. */
export const roleNames: Readonly<Record<string, string>> = { admin: 'Admin', member: 'Member', viewer: 'Viewer' }
