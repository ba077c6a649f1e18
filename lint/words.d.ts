export function identifierFault(name: string): string | null;
export function proseFaults(text: string): string[];
export function commentFaults(text: string): string[];
export function titleFaults(title: string): string[];
