! SPDX-License-Identifier: Apache-2.0
! An allocation in Fortran, for styles.hip.
subroutine of_fortran_memory(memory) bind(c)
  use iso_c_binding
  implicit none
  interface
    function hipMallocManaged(where, bytes, flags) bind(c, name='hipMallocManaged')
      use iso_c_binding
      integer(c_int) :: hipMallocManaged
      type(c_ptr) :: where
      integer(c_size_t), value :: bytes
      integer(c_int), value :: flags
    end function
  end interface
  type(c_ptr) :: memory
  integer(c_int) :: status

  status = hipMallocManaged(memory, 8_c_size_t, 1_c_int)
end subroutine
