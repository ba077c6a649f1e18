export const isFinal = (code: string) => code === 'member_deactivated';
