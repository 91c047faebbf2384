! SPDX-License-Identifier: Apache-2.0
! A training loop in Fortran that calls HIP by iso_c_binding, as hipfort does.
module network
  use iso_c_binding
  implicit none
  interface
    integer(c_int) function hipMallocManaged(memory, bytes, flags) bind(C, name="hipMallocManaged")
      import
      type(c_ptr) :: memory
      integer(c_size_t), value :: bytes
      integer(c_int), value :: flags
    end function
    integer(c_int) function forward(numbers, total, length) bind(C, name="forward")
      import
      type(c_ptr), value :: numbers, total
      integer(c_int), value :: length
    end function
    subroutine begin_range(text) bind(C, name="begin_phase")
      import
      character(kind=c_char) :: text(*)
    end subroutine
    subroutine end_range() bind(C, name="end_phase")
    end subroutine
    subroutine name_memory(memory, text) bind(C, name="name_memory")
      import
      type(c_ptr), value :: memory
      character(kind=c_char) :: text(*)
    end subroutine
  end interface
  type(c_ptr) :: weights, loss
contains
  subroutine make_network()
    if (hipMallocManaged(weights, 4096_c_size_t, 1) /= 0) stop 1
    if (hipMallocManaged(loss, 8_c_size_t, 1) /= 0) stop 1 ! @loss
    call name_memory(loss, "loss" // c_null_char)
  end subroutine
  subroutine train(step)
    integer, intent(in) :: step
    character(len=16) :: text
    integer(c_int) :: status
    write (text, "('step ', i0)") step
    call begin_range(trim(text) // c_null_char)
    status = forward(weights, loss, 64) ! @forward
    call end_range()
  end subroutine
end module

program training
  use network
  implicit none
  integer :: step
  call make_network()
  do step = 1, 3
    call train(step)
  end do
end program
